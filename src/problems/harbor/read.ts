import { createHash } from 'node:crypto';
import { posix } from 'node:path';
// @ts-expect-error TS1479: it ships a CommonJS build, but its types are declared for ES modules only.
import { parse } from 'smol-toml';
import { z } from 'zod';
import { PointsmanError } from '../../contract/errors';
import { parseInput } from '../../contract/parse';
import { type Needs, Problem, type TestFile } from '../../contract/problem';
import { quote } from '../../rollout/shell';
import type { ReadRow } from '../readers/row';

/** A file of a task's folder. */
export interface TaskFile {
  readonly bytes: Buffer;
  readonly executable: boolean;
}

/** `2G`, `512M`; older tasks write sizes so. */
const Size = z.string().regex(/^\d+(\.\d+)?[GMK]$/i);
const Variables = z.record(z.string(), z.string()).default({});

const Environment = z.looseObject({
  docker_image: z.string().optional(),
  os: z.string().optional(),
  cpus: z.number().positive().optional(),
  memory_mb: z.int().positive().optional(),
  storage_mb: z.int().positive().optional(),
  memory: Size.optional(),
  storage: Size.optional(),
  gpus: z.int().optional(),
  env: Variables,
  workdir: z.string().optional(),
  network_mode: z.enum(['no-network', 'public', 'allowlist']).optional(),
  allow_internet: z.boolean().optional(),
  mcp_servers: z.array(z.unknown()).default([]),
  healthcheck: z.unknown().optional(),
});

const Config = z.looseObject({
  task: z.looseObject({ name: z.string() }).optional(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  agent: z.looseObject({ timeout_sec: z.number().positive().optional(), user: z.unknown().optional() }).prefault({}),
  verifier: z
    .looseObject({
      timeout_sec: z.number().positive().default(600),
      env: Variables,
      environment_mode: z.string().optional(),
      environment: z.unknown().optional(),
      user: z.unknown().optional(),
    })
    .prefault({}),
  environment: Environment.prefault({}),
  solution: z.looseObject({ env: Variables }).prefault({}),
  steps: z.array(z.unknown()).optional(),
});
type Config = z.infer<typeof Config>;

/** Where Harbor's verifier leaves its reward. */
const REWARD = '/logs/verifier/reward.json';
const REPOSITORY = 'pointsman/task';

/**
 * A folder of Harbor's layout as a problem: its files by path. One of ours (`harborTask`) is the problem that it was made
 * from; any other is judged as Harbor would, by its own script in the sandbox that the agent leaves. `name`: of the folder.
 * Throws `InvalidInput` that says what cannot be done here.
 *
 * Source: Harbor 0.26, `models/task/config.py`, `verifier/verifier.py`.
 */
export function readHarborTask(files: ReadonlyMap<string, TaskFile>, name: string): ReadRow {
  const text = (path: string) => files.get(path)?.bytes.toString('utf8');
  const own = text('tests/problem.json');
  if (own !== undefined && files.has('tests/judge.cjs')) {
    return { problem: parseInput(Problem, JSON.parse(own), 'tests/problem.json'), notes: [] };
  }
  const config = configOf(text('task.toml'));
  refuseWhatIsNot(config, files);
  const statement = text('instruction.md');
  if (statement === undefined || statement.trim() === '') throw refused('there is no instruction.md');
  const { environment, agent } = config;
  const build = buildOf(environment, files);
  const { workdir, notes } = workdirOf(environment, text('environment/Dockerfile'));
  const problem = {
    id: (config.task?.name ?? name).replace(/^.*\//, ''),
    image: build ? `${REPOSITORY}:${digestOf(build)}` : environment.docker_image,
    workdir,
    statement,
    tests: {
      command: verifierCommand(config),
      parser: { kind: 'reward', report: REWARD },
      failToPass: ['reward'],
      passToPass: [],
      files: filesBelow(files, 'tests'),
      timeoutSeconds: config.verifier.timeout_sec,
      at: '/tests',
    },
    ...(build ? { build: { files: build } } : {}),
    needs: needsOf(environment),
    ...(files.has('solution/solve.sh')
      ? {
          solution: {
            files: filesBelow(files, 'solution'),
            command: `${exportsOf('solution.env', config.solution.env)}bash /solution/solve.sh`,
          },
        }
      : {}),
    provenance: {
      harbor: config.task?.name ?? name,
      ...(agent.timeout_sec === undefined ? {} : { agentSeconds: agent.timeout_sec }),
      metadata: config.metadata,
    },
  };
  return {
    problem: parseInput(Problem, problem, name),
    notes: [
      ...notes,
      ...(environment.healthcheck === undefined ? [] : ['its healthcheck is not waited for']),
      ...(agent.user === undefined && config.verifier.user === undefined
        ? []
        : ['agent and verifier run as root here, whatever users the task names']),
      ...(agent.timeout_sec === undefined
        ? []
        : [`its agent has ${agent.timeout_sec} s in Harbor; set limits of your own`]),
    ],
  };
}

function configOf(text: string | undefined): Config {
  if (text === undefined) throw refused('there is no task.toml');
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw refused(`task.toml: ${(error as Error).message.split('\n')[0]}`);
  }
  return parseInput(Config, value, 'task.toml');
}

const refused = (why: string) =>
  new PointsmanError('InvalidInput', why, 'docs/guide-problems.md says what is read of tasks in this layout.');

function refuseWhatIsNot(config: Config, files: ReadonlyMap<string, TaskFile>): void {
  const { environment, verifier, steps } = config;
  const separate =
    verifier.environment_mode === 'separate' || (verifier.environment_mode === undefined && verifier.environment);
  const found = [
    steps && steps.length > 0 && 'it has several steps ([[steps]])',
    separate && 'its verifier has a container of its own ([verifier] environment_mode = "separate")',
    files.has('environment/docker-compose.yaml') && 'it has services beside it (environment/docker-compose.yaml)',
    environment.os?.toLowerCase() === 'windows' && 'it is for Windows',
    (environment.gpus ?? 0) > 0 && 'it needs GPUs',
    environment.mcp_servers.length > 0 && 'it needs MCP servers ([environment] mcp_servers)',
    environment.network_mode === 'allowlist' &&
      'it needs a list of hosts that it may reach (network_mode = "allowlist")',
    !files.has('tests/test.sh') && 'there is no tests/test.sh',
  ].find((each) => typeof each === 'string');
  if (found) throw refused(found);
}

/** Of `[environment]`, with what its variables are: in the Dockerfile, because all that runs in the sandbox has them. */
function buildOf(environment: Config['environment'], files: ReadonlyMap<string, TaskFile>): TestFile[] | undefined {
  const { docker_image: image, env } = environment;
  const variables = Object.entries(literal('environment.env', env)).map(
    ([name, value]) => `ENV ${name}=${JSON.stringify(value).replaceAll('$', '\\$')}`,
  );
  const own = files.get('environment/Dockerfile')?.bytes.toString('utf8');
  if (own === undefined && image === undefined) {
    throw refused('there is neither environment/Dockerfile nor [environment] docker_image');
  }
  if (own === undefined && variables.length === 0) return undefined;
  const dockerfile = [(own ?? `FROM ${image}`).trimEnd(), ...variables, ''].join('\n');
  const others = filesBelow(files, 'environment').filter(({ path }) => path !== 'Dockerfile');
  return [{ path: 'Dockerfile', content: dockerfile }, ...others];
}

/** Variables of which nothing is asked of the host: what it has are secrets as often as not. */
function literal(field: string, variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(variables)) {
    if (!/^[A-Za-z_]\w*$/.test(name)) throw refused(`${field}: ${name} is no name of a variable`);
    if (/\$\{/.test(value)) throw refused(`${field}: ${name} is read from the host's environment (${value})`);
  }
  return variables;
}

function exportsOf(field: string, variables: Readonly<Record<string, string>>): string {
  return Object.entries(literal(field, variables))
    .map(([name, value]) => `export ${name}=${quote(value)}; `)
    .join('');
}

/** As Harbor runs it; a reward of plain text is a number too. */
function verifierCommand({ verifier }: Config): string {
  const folder = posix.dirname(REWARD);
  return [
    `rm -f ${folder}/reward.txt; mkdir -p ${folder} /logs/agent /logs/artifacts; chmod +x /tests/test.sh`,
    `${exportsOf('verifier.env', verifier.env)}/tests/test.sh`,
    `[ -e ${REWARD} ] || [ ! -e ${folder}/reward.txt ] || cp ${folder}/reward.txt ${REWARD}`,
  ].join('; ');
}

/** The last of the last stage, or what `task.toml` says. */
function workdirOf({ workdir }: Config['environment'], dockerfile = ''): { workdir: string; notes: string[] } {
  let found = '/';
  for (const line of dockerfile.split('\n')) {
    const [word = '', ...rest] = line.trim().split(/\s+/);
    if (word.toUpperCase() === 'FROM') found = '/';
    if (word.toUpperCase() === 'WORKDIR') found = posix.resolve(found, rest.join(' ').replace(/^(["'])(.*)\1$/, '$2'));
  }
  const chosen = workdir ?? found;
  if (chosen !== '/') return { workdir: posix.normalize(chosen).replace(/(.)\/$/, '$1'), notes: [] };
  return { workdir: '/root', notes: ['it names no work directory: the agent begins in /root'] };
}

function needsOf(environment: Config['environment']): Needs {
  const { cpus, memory_mb, storage_mb, memory, storage, network_mode, allow_internet } = environment;
  const closed = network_mode === 'no-network' || (network_mode === undefined && allow_internet === false);
  const [memoryMiB, diskMiB] = [memory_mb ?? mebibytes(memory), storage_mb ?? mebibytes(storage)];
  return {
    network: closed ? 'none' : 'bridge',
    ...(cpus === undefined ? {} : { cpus }),
    ...(memoryMiB === undefined ? {} : { memoryMiB: Math.max(64, memoryMiB) }),
    ...(diskMiB === undefined ? {} : { diskMiB: Math.max(64, diskMiB) }),
  };
}

function mebibytes(size: string | undefined): number | undefined {
  if (size === undefined) return undefined;
  const unit = { G: 1024, M: 1, K: 1 / 1024 }[size.slice(-1).toUpperCase()] ?? 1;
  return Math.ceil(Number.parseFloat(size) * unit);
}

function filesBelow(files: ReadonlyMap<string, TaskFile>, folder: string): TestFile[] {
  return [...files].flatMap(([path, { bytes, executable }]) => {
    if (!path.startsWith(`${folder}/`)) return [];
    const text = bytes.toString('utf8');
    const content = Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString('base64') };
    return [{ path: path.slice(folder.length + 1), content, ...(executable ? { executable } : {}) }];
  });
}

function digestOf(files: readonly TestFile[]): string {
  return createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 20);
}
