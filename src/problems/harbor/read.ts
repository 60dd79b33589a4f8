import { posix } from 'node:path';
// @ts-expect-error TS1479: it ships a CommonJS build, but its types are declared for ES modules only.
import { parse } from 'smol-toml';
import { z } from 'zod';
import { parseInput } from '../../contract/parse';
import { type Apart, type Needs, type Part, Problem, type ProblemService, type TestFile } from '../../contract/problem';
import { quote } from '../../rollout/shell';
import type { ReadRow } from '../readers/row';
import { servicesOf } from './compose';
import { digestOf, filesBelow, REPOSITORY, refused, type TaskFile } from './files';

/** `2G`, `512M`; older tasks write sizes so. */
const Size = z.string().regex(/^\d+(\.\d+)?[GMK]$/i);
const Variables = z.record(z.string(), z.string()).default({});
const Network = z.enum(['no-network', 'public', 'allowlist']).optional();

const Healthcheck = z.looseObject({
  command: z.string().min(1),
  interval_sec: z.number().default(5),
  timeout_sec: z.number().default(30),
  start_period_sec: z.number().default(0),
  retries: z.int().default(3),
});

const Environment = z.looseObject({
  docker_image: z.string().optional(),
  os: z.string().optional(),
  cpus: z.number().positive().optional(),
  memory_mb: z.int().positive().optional(),
  storage_mb: z.int().positive().optional(),
  memory: Size.optional(),
  storage: Size.optional(),
  gpus: z.int().optional(),
  tpu: z.unknown().optional(),
  env: Variables,
  workdir: z.string().optional(),
  network_mode: Network,
  allow_internet: z.boolean().optional(),
  mcp_servers: z.array(z.unknown()).default([]),
  skills_dir: z.string().optional(),
  healthcheck: Healthcheck.optional(),
});
type Environment = z.infer<typeof Environment>;

const ArtifactEntry = z.union([
  z.string().transform((source) => ({ source, exclude: [], service: undefined })),
  z.looseObject({ source: z.string(), exclude: z.array(z.string()).default([]), service: z.string().optional() }),
]);
const Artifacts = z.array(ArtifactEntry).default([]);

const Verifier = z.looseObject({
  timeout_sec: z.number().positive().default(600),
  env: Variables,
  environment_mode: z.enum(['shared', 'separate']).optional(),
  environment: Environment.optional(),
  network_mode: Network,
  user: z.unknown().optional(),
  collect: z
    .array(
      z.looseObject({
        command: z.string().min(1),
        service: z.string().default('main'),
        timeout_sec: z.number().positive().default(60),
      }),
    )
    .default([]),
});
type Verifier = z.infer<typeof Verifier>;

const Agent = z.looseObject({
  timeout_sec: z.number().positive().optional(),
  user: z.unknown().optional(),
  network_mode: Network,
});

const Step = z.looseObject({
  name: z
    .string()
    .regex(/^[^/\\\p{Cc}]+$/u)
    .refine((name) => name !== '.' && name !== '..'),
  agent: Agent.prefault({}),
  verifier: Verifier.prefault({}),
  min_reward: z.union([z.number().transform((reward) => ({ reward })), z.record(z.string(), z.number())]).optional(),
  healthcheck: Healthcheck.optional(),
  artifacts: Artifacts,
});
type Step = z.infer<typeof Step>;

const Config = z.looseObject({
  task: z.looseObject({ name: z.string() }).optional(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  agent: Agent.prefault({}),
  verifier: Verifier.prefault({}),
  environment: Environment.prefault({}),
  solution: z.looseObject({ env: Variables }).prefault({}),
  artifacts: Artifacts,
  multi_step_reward_strategy: z.enum(['mean', 'final']).default('mean'),
  steps: z.array(Step).default([]),
});
type Config = z.infer<typeof Config>;

type Files = ReadonlyMap<string, TaskFile>;

/** Where Harbor's verifier leaves its reward, its tests are, and what agents publish is. */
const REWARD = '/logs/verifier/reward.json';
const TESTS = '/tests';
const PUBLISHED = '/logs/artifacts';
/** Folders that Harbor's containers have. */
const FOLDERS = `/logs/agent ${posix.dirname(REWARD)} ${PUBLISHED}`;

/** A task as far as all of its parts share it. */
interface Task {
  readonly config: Config;
  readonly files: Files;
  readonly workdir: string;
  readonly image: string;
  readonly build: TestFile[] | undefined;
}

/**
 * A folder of Harbor's layout as a problem: its files by path. One of ours (`harborTask`) is the problem that it was made
 * from; any other is judged as Harbor would, by its own script, in the sandbox that the agent leaves or in one of its own.
 * `name`: of the folder. Throws `InvalidInput` that says what cannot be done here.
 *
 * Source: Harbor 0.26, `models/task`, `verifier/verifier.py`, `trial/multi_step.py`.
 */
export function readHarborTask(files: Files, name: string): ReadRow {
  const text = (path: string) => files.get(path)?.bytes.toString('utf8');
  const own = text('tests/problem.json');
  if (own !== undefined && files.has('tests/judge.cjs')) {
    return { problem: parseInput(Problem, JSON.parse(own), 'tests/problem.json'), notes: [] };
  }
  const config = configOf(text('task.toml'));
  const { environment, agent, verifier, steps } = config;
  refuseWhatIsNot(config, files);
  const compose = text('environment/docker-compose.yaml');
  const composed = compose === undefined ? undefined : servicesOf(compose, files);
  const variables = { ...composed?.variables, ...environment.env };
  const build = buildOf('environment', { ...environment, env: variables }, files);
  const dockerfile = text('environment/Dockerfile');
  const { workdir, notes } = workdirOf(
    { ...environment, workdir: environment.workdir ?? composed?.workdir },
    dockerfile,
  );
  const image = build ? `${REPOSITORY}:${digestOf(build)}` : environment.docker_image!;
  const task: Task = { config, files, workdir, image, build };
  const [first, ...further] = steps.length > 0 ? steps.map((step) => partOf(task, step)) : [partOf(task)];
  const { statement, tests, opening, solution, least } = first!;
  const services = [...(composed?.services ?? []), ...startedBy(config, dockerfile)];
  const problem = {
    id: (config.task?.name ?? name).replace(/^.*\//, ''),
    image,
    workdir,
    statement,
    tests,
    ...(build ? { build: { files: build } } : {}),
    needs: needsOf({ ...environment, network_mode: agent.network_mode ?? environment.network_mode }),
    ...(services.length > 0 ? { services } : {}),
    opening,
    solution,
    ...(further.length > 0
      ? { further: { parts: further, reward: config.multi_step_reward_strategy, ...(least ? { least } : {}) } }
      : {}),
    provenance: {
      harbor: config.task?.name ?? name,
      ...(agent.timeout_sec === undefined ? {} : { agentSeconds: agent.timeout_sec }),
      metadata: config.metadata,
    },
  };
  const asUsers = [agent, verifier, ...steps.flatMap((step) => [step.agent, step.verifier])];
  return {
    problem: parseInput(Problem, problem, name),
    notes: [
      ...notes,
      ...(composed?.notes ?? []),
      ...(asUsers.some(({ user }) => user !== undefined)
        ? ['agent and verifier run as root here, whatever users the task names']
        : []),
      ...(environment.skills_dir === undefined ? [] : ['its skills are in the image, and no agent is told of them']),
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

function refuseWhatIsNot(config: Config, files: Files): void {
  const { environment, steps } = config;
  const verifiers = [config.verifier, ...steps.map(({ verifier }) => verifier)];
  const environments = [environment, ...verifiers.flatMap((verifier) => verifier.environment ?? [])];
  const networks = [config.agent, ...steps.map(({ agent }) => agent), ...verifiers, ...environments];
  const agents = new Set(steps.flatMap(({ agent }) => agent.network_mode ?? []));
  const any = (test: (each: Environment) => boolean) => environments.some(test);
  const found = [
    any(({ os }) => os?.toLowerCase() === 'windows') && 'it is for Windows',
    any(({ gpus, tpu }) => (gpus ?? 0) > 0 || tpu !== undefined) && 'it needs GPUs',
    any(({ mcp_servers }) => mcp_servers.length > 0) && 'it needs MCP servers ([environment] mcp_servers)',
    networks.some(({ network_mode }) => network_mode === 'allowlist') &&
      'it needs a list of hosts that it may reach (network_mode = "allowlist")',
    agents.size > 0 && 'the agents of its steps have networks of their own ([steps.agent] network_mode)',
    [...files.keys()].some((path) => /(^|\/)tests\/docker-compose\.ya?ml$/.test(path)) &&
      'its verifier has services beside it (tests/docker-compose.yaml)',
    new Set(steps.map(({ name }) => name.normalize('NFC').toLowerCase())).size < steps.length &&
      'two of its steps have the same name',
    steps[0] && files.has(`steps/${steps[0].name}/trajectory.json`) && 'its agent is to go on from a trajectory.json',
    steps.length === 0 && files.has('trajectory.json') && 'its agent is to go on from a trajectory.json',
  ].find((each) => typeof each === 'string');
  if (found) throw refused(found);
}

/** The task itself, or one of its steps. */
function partOf(task: Task, step?: Step): Part & { readonly name: string } {
  const { files, config } = task;
  const place = step ? `steps/${step.name}/` : '';
  const statement = withoutCanary(files.get(`${place}instruction.md`)?.bytes.toString('utf8') ?? '');
  if (statement.trim() === '') throw refused(`there is no ${place}instruction.md`);
  const verifier = step?.verifier ?? config.verifier;
  const apart = apartOf(task, step);
  const shared = filesBelow(files, 'tests');
  const own = step ? filesBelow(files, `${place}tests`) : [];
  const tests = [...shared.filter(({ path }) => !own.some((each) => each.path === path)), ...own];
  if (!apart?.holdsTests && !tests.some(({ path }) => path === 'test.sh'))
    throw refused(`there is no ${place}tests/test.sh`);
  const solution = step && files.has(`${place}solution/solve.sh`) ? `${place}solution` : 'solution';
  const opening = step ? filesBelow(files, `${place}workdir`) : [];
  return {
    name: step?.name ?? '',
    statement,
    opening: {
      files: opening,
      command: [
        `mkdir -p ${FOLDERS}`,
        ...(opening.some(({ path }) => path === 'setup.sh') ? ['bash setup.sh'] : []),
        ...(step?.healthcheck ? [waitFor(step.healthcheck.command)] : []),
      ].join(' && '),
    },
    tests: {
      command: verifierCommand({ ...config.verifier.env, ...verifier.env }),
      parser: { kind: 'reward', report: REWARD },
      failToPass: ['reward'],
      passToPass: [],
      files: apart?.holdsTests ? [] : tests,
      timeoutSeconds: verifier.timeout_sec,
      at: TESTS,
      ...(apart ? { apart } : {}),
    },
    ...(files.has(`${solution}/solve.sh`)
      ? {
          solution: {
            files: filesBelow(files, solution),
            command: `${exportsOf('solution.env', config.solution.env)}bash /solution/solve.sh`,
          },
        }
      : {}),
    ...(step?.min_reward ? { least: step.min_reward } : {}),
  };
}

/** As long as for a service. */
function waitFor(command: string): string {
  return `{ n=0; until bash -c ${quote(command)} > /dev/null 2>&1; do n=$((n + 1)); [ $n -lt 60 ] || exit 1; sleep 1; done; }`;
}

/** Lines that only say that a text is not to be trained on. */
function withoutCanary(text: string): string {
  const lines = text.split('\n');
  const isCanary = (line: string) =>
    /canary/i.test(line) && (line.startsWith('#') || (line.startsWith('<!--') && line.endsWith('-->')));
  const first = lines.findIndex((line) => !isCanary(line.trim()));
  if (first <= 0) return text;
  const from = lines.findIndex((line, at) => at >= first && line.trim() !== '');
  return from < 0 ? '' : lines.slice(from).join('\n');
}

/** A step's own mode, else the task's: `separate` where either says so or has an environment for it. */
function apartOf(task: Task, step?: Step): Apart | undefined {
  const { config, files, workdir } = task;
  const mode = ({ environment_mode: said, environment }: Verifier) => said ?? (environment ? 'separate' : undefined);
  if (((step && mode(step.verifier)) ?? mode(config.verifier)) !== 'separate') return undefined;
  const verifiers = [...(step ? [step.verifier] : []), config.verifier];
  const environment = verifiers.find((each) => each.environment)?.environment ?? config.environment;
  const folders = [...(step ? [`steps/${step.name}/tests`] : []), 'tests'];
  const named = folders.flatMap((folder, at) => {
    const image = (folders.length - at === 1 ? config.verifier : step!.verifier).environment?.docker_image;
    if (image === undefined && !files.has(`${folder}/Dockerfile`)) return [];
    return [{ folder, image }];
  })[0];
  const build = named ? buildOf(named.folder, { ...environment, docker_image: named.image }, files) : task.build;
  const dockerfile =
    named && named.image === undefined ? files.get(`${named.folder}/Dockerfile`)?.bytes.toString('utf8') : undefined;
  const network = verifiers.find(({ network_mode }) => network_mode)?.network_mode ?? environment.network_mode;
  const hooks = [...config.verifier.collect, ...(step?.verifier.collect ?? [])];
  const artifacts = [...config.artifacts, ...(step?.artifacts ?? [])].map(({ service, ...each }) => ({
    source: placeOf(each.source),
    exclude: each.exclude,
    ...serviceIn(service),
  }));
  const published = artifacts.some(({ source, ...each }) => source === PUBLISHED && !('service' in each));
  return {
    image: build ? `${REPOSITORY}:${digestOf(build)}` : (named?.image ?? task.image),
    ...(build ? { build: { files: build } } : {}),
    workdir: named ? workdirOf(environment, dockerfile).workdir : (environment.workdir ?? workdir),
    needs: needsOf({ ...environment, network_mode: network }),
    holdsTests: named !== undefined,
    collect: hooks.map(({ command, service, timeout_sec }) => ({
      command,
      timeoutSeconds: timeout_sec,
      ...serviceIn(service),
    })),
    artifacts: [...(published ? [] : [{ source: PUBLISHED, exclude: [] }]), ...artifacts],
  };
}

/** Harbor finds a relative one by the work directory in one container, and by the root in the other. */
function placeOf(source: string): string {
  if (!posix.isAbsolute(source)) throw refused(`an artifact has no absolute path (${source})`);
  return posix.normalize(source).replace(/(.)\/$/, '$1');
}

const serviceIn = (service: string | undefined): { service?: string } =>
  service === undefined || service === 'main' ? {} : { service };

/**
 * The Dockerfile of a folder or, where there is one, an image; with what the variables of `[environment]` are, because all that
 * runs in the sandbox has them. Undefined for an image as it is.
 */
function buildOf(folder: string, environment: Environment, files: Files): TestFile[] | undefined {
  const { docker_image: image, env } = environment;
  const variables = Object.entries(literal('environment.env', env)).map(
    ([name, value]) => `ENV ${name}=${JSON.stringify(value).replaceAll('$', '\\$')}`,
  );
  const own = image === undefined ? files.get(`${folder}/Dockerfile`)?.bytes.toString('utf8') : undefined;
  if (own === undefined && image === undefined) {
    throw refused(`there is neither ${folder}/Dockerfile nor [environment] docker_image`);
  }
  if (own === undefined && variables.length === 0) return undefined;
  const dockerfile = [(own ?? `FROM ${image}`).trimEnd(), ...variables, ''].join('\n');
  const others = own === undefined ? [] : filesBelow(files, folder).filter(({ path }) => path !== 'Dockerfile');
  return [{ path: 'Dockerfile', content: dockerfile }, ...others];
}

/**
 * What Harbor leaves to the image's entry point, which it starts with a command that sleeps, and the health check that it
 * waits for.
 */
function startedBy({ environment: { healthcheck } }: Config, dockerfile = ''): ProblemService[] {
  const stage = dockerfile
    .replaceAll('\\\n', ' ')
    .split(/^[ \t]*FROM[ \t]/im)
    .at(-1)!;
  const entry = [...stage.matchAll(/^[ \t]*ENTRYPOINT[ \t]+(.*)$/gim)].at(-1)?.[1]?.trim();
  const words = entry === undefined ? [] : wordsOf(entry);
  if (words.length === 0) return healthcheck ? [awaited('environment', healthcheck)] : [];
  return [
    {
      ...awaited('entrypoint', healthcheck ?? Healthcheck.parse({ command: 'true' })),
      start: [...words, ...(entry!.startsWith('[') ? ['sh', '-c', 'sleep infinity'] : [])].map(quote).join(' '),
    },
  ];
}

function wordsOf(instruction: string): string[] {
  if (!instruction.startsWith('[')) return ['sh', '-c', instruction];
  try {
    return z.array(z.string()).parse(JSON.parse(instruction));
  } catch {
    return [];
  }
}

const awaited = (name: string, { command }: z.infer<typeof Healthcheck>): ProblemService => ({
  name,
  kind: 'process',
  packages: [],
  start: 'true',
  health: command,
  env: {},
});

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
function verifierCommand(variables: Readonly<Record<string, string>>): string {
  const folder = posix.dirname(REWARD);
  return [
    `rm -f ${folder}/reward.txt; mkdir -p ${FOLDERS}; chmod +x ${TESTS}/test.sh`,
    `${exportsOf('verifier.env', variables)}${TESTS}/test.sh`,
    `[ -e ${REWARD} ] || [ ! -e ${folder}/reward.txt ] || cp ${folder}/reward.txt ${REWARD}`,
  ].join('; ');
}

/** The last of the last stage, or what `task.toml` says. */
function workdirOf({ workdir }: Environment, dockerfile = ''): { workdir: string; notes: string[] } {
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

function needsOf(environment: Environment): Needs {
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
