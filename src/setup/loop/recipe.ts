import type { ServiceSpec, SetupLimits } from '../../contract';
import { quote } from '../../rollout/shell';
import { guestProgram } from '../guest';
import type { SeenAction } from '../roles/role';
import { readCounts } from '../test-output';
import { setEnvCommand } from './commands';
import { onlyReads } from './frame-policy';
import { completeService, installCommand } from './services';

interface RecipeStep {
  readonly turn: number;
  readonly command: string;
  /** It is there for what it leaves, whatever it ends with: it ended badly in the sandbox, too, and was kept. */
  readonly mayFail?: true;
}

type Kept = Omit<RecipeStep, 'turn'>;

/** Words of commands that change what is installed, whatever else they do. */
const BUILDS =
  /\b(install|add|sync|build|make|get|fetch|download|configure|venv|bootstrap|update|vendor|compile|package|mkdir|touch|cp|mv|ln|sed|patch|echo|printf|tee)\b/;

/** Build tools that fetch what a test run needs when it runs, and not before. */
const FETCHES_TO_TEST = /\b(mvnw?|gradlew?|sbt|cargo|go)\b/;

/**
 * The steps that made the environment what it is: those that stand and did not fail, without reading and test runs. `ran`
 * gives a trial's commands: its own, which may have been rendered from its unit, and the one that went through after it.
 */
export function recipeOf(
  seen: readonly SeenAction[],
  ran: (turn: number) => readonly string[] | undefined,
): RecipeStep[] {
  return seen
    .filter(({ undone }) => !undone)
    .flatMap(({ move, observed, turn }) => {
      const commands =
        move.action === 'shell'
          ? kept(move.command, observed)
          : move.action === 'try_experience'
            ? keptTrial(ran(turn) ?? [], observed)
            : observed.exitCode === 0
              ? otherwise(move).map(sure)
              : [];
      return commands.map((each) => ({ turn, ...each }));
    });
}

/** A test run that fetches is kept, and may fail again: its tests are the verifier's to judge. */
function kept(command: string, { exitCode, output }: SeenAction['observed']): Kept[] {
  if (!BUILDS.test(command) && readCounts(command, output) !== null)
    return exitCode !== null && FETCHES_TO_TEST.test(command) ? [mayFail(command)] : leadIn(command);
  if (exitCode === 0) return onlyReads(command) ? [] : [sure(command)];
  // It came as far as its tests: what it built or installed for them stands in the sandbox.
  return exitCode !== null && readCounts(command, output) !== null ? [mayFail(command)] : leadIn(command);
}

function sure(command: string): Kept {
  return { command };
}

function mayFail(command: string): Kept {
  return { command, mayFail: true };
}

/**
 * What a chain does to the shell before it comes to its point: `cd` and `export` outlive a point that failed or is left out.
 * Whether they went through themselves is not known, so they may fail as they did then.
 */
function leadIn(command: string): Kept[] {
  if (/[;\n{]|\|\|/.test(command)) return [];
  const links = command.split('&&').map((link) => link.trim());
  const point = links.findIndex((link) => !/^(cd|export|unset|source|\.)\s/.test(link));
  return point > 0 ? [mayFail(links.slice(0, point).join(' && '))] : [];
}

/** A trial is judged by the command that had failed: one that is kept may have ended badly itself. */
function keptTrial([trial, ...after]: readonly string[], { exitCode }: SeenAction['observed']): Kept[] {
  if (trial === undefined) return [];
  const built = after.filter((command) => BUILDS.test(command));
  return [exitCode === 0 ? sure(trial) : mayFail(trial), ...built.map(sure)];
}

function otherwise(move: SeenAction['move']): string[] {
  if (move.action === 'set_env') return [setEnvCommand(move)];
  if (move.action !== 'start_service' || move.service.kind !== 'process') return [];
  const spec = completeService(move.service);
  const install = installCommand(spec);
  return [...(install ? [install] : []), startCommand(spec)];
}

/** Runs a step as the sandbox does: one that calls `exit` ends itself and not the script. */
const STEP = guestProgram('step.sh');

/** One bash script that does the kept steps, as the sandbox did. It stops at the first step that fails and names it. */
export function installScript(steps: readonly RecipeStep[], workdir: string, source: string): string {
  const serves = steps.some(({ command }) => startsServer(command));
  return [
    '#!/bin/bash',
    `# Sets up ${source} in ${workdir}, from the steps of a Pointsman set-up that were kept.`,
    'set -u',
    'export DEBIAN_FRONTEND=noninteractive',
    `cd ${quote(workdir)} || exit 1`,
    STEP,
    ...(serves ? [SERVERS] : []),
    ...steps.flatMap(({ turn, command, mayFail }) => {
      const mark = delimiter(command);
      return ['', `step ${turn}${mayFail ? ' may-fail' : ''} <<'${mark}'`, command, mark];
    }),
    ...(serves ? ['', STOP_SERVERS] : []),
    '',
  ].join('\n');
}

/** What a script may take: as long as each of its steps might, but no longer than a whole set-up. */
export function scriptSeconds(
  script: string,
  { commandSeconds, wallClockSeconds }: Pick<SetupLimits, 'commandSeconds' | 'wallClockSeconds'>,
): number {
  const steps = script.match(/^step \d+( may-fail)? <</gm)?.length ?? 0;
  return Math.min(Math.max(1, steps) * commandSeconds, Math.max(commandSeconds, wallClockSeconds));
}

interface DockerfileParts {
  readonly base: string;
  readonly source: string;
  readonly sha256: string;
  readonly workdir: string;
  readonly components: readonly { readonly name: string; readonly source: string; readonly workdir: string }[];
  /** Variables that the sandbox had from the beginning, and those that the environment has at its end. */
  readonly given: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly services: readonly ServiceSpec[];
  /** Variables by which tools find a registry or a CA bundle behind a firewall; given as arguments, they do not stay. */
  readonly lent: readonly string[];
}

/** The Dockerfile that goes with the script: `source/` holds the unpacked sources beside it. */
export function dockerfile(parts: DockerfileParts): string {
  const { base, source, sha256, workdir, components, given, env, services, lent } = parts;
  const made = Object.fromEntries(Object.entries(env).filter(([name, value]) => given[name] !== value));
  return [
    `# ${source} (sha256 ${sha256}), unpacked into source/ beside this file.`,
    ...components.map((part) => `# ${part.source}, unpacked into ${part.name}/.`),
    `FROM ${base}`,
    `COPY source/ ${workdir}/`,
    ...components.map((part) => `COPY ${part.name}/ ${part.workdir}/`),
    // A pattern may match nothing.
    'COPY install.sh ca.cr[t] /usr/local/share/',
    '# Behind a firewall: a CA bundle as ca.crt beside this file, and --build-arg NAME=/usr/local/share/ca.crt for these.',
    ...lent.map((name) => `ARG ${name}`),
    ...envInstructions(given),
    'RUN bash /usr/local/share/install.sh',
    ...envInstructions(made),
    ...Object.keys(made)
      .filter((name) => !fitsEnv(made[name]!))
      .map((name) => `# No ENV holds the lines of ${name}: what needs it sets it as a step of install.sh does.`),
    `WORKDIR ${workdir}`,
    ...services.map((spec) => `# Needs ${spec.name} (${spec.kind}): ${oneLine(spec.start ?? spec.image ?? '')}`),
    '',
  ].join('\n');
}

/** Variables as instructions that the engine takes as they are: a bare `$` it would expand. Those that none can hold are left out. */
export function envInstructions(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env)
    .filter(([, value]) => fitsEnv(value))
    .map(([name, value]) => `ENV ${name}="${value.replace(/[\\"$]/g, '\\$&')}"`);
}

/** An instruction is one line, and a frame keeps a value with control characters in bash's own `$'…'`. */
function fitsEnv(value: string): boolean {
  return !/[\r\n]|^\$'[\s\S]*'$/.test(value);
}

/** A line that the command does not hold. */
function delimiter(command: string): string {
  for (let n = 0; ; n++) {
    const mark = n === 0 ? 'STEP' : `STEP_${n}`;
    if (!command.split('\n').includes(mark)) return mark;
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Name of the function in `servers.sh`; with ours in front, because steps bring functions of their own along. */
const START = 'pointsman_start';

/** The step that starts a service of the sandbox, for those that come after it: they may fill its database. */
export function startCommand({ name, start = 'true', health, port, env }: ServiceSpec): string {
  const ready = health ?? `exec 3<>/dev/tcp/127.0.0.1/${port}`;
  const variables = Object.entries(env).map(([key, value]) => `${key}=${quote(value)} `);
  return `${variables.join('')}${START} ${quote(name)} ${quote(start)} ${quote(ready)}`;
}

/** Whether a step of the script starts a server. */
function startsServer(command: string): boolean {
  return command.includes(`${START} `);
}

/**
 * Nobody keeps a server that a script starts: an image has files and no processes. So the script ends those that it started,
 * which writes what they hold. Whoever runs it on a machine of their own has other processes there: a server's are those
 * that it forked, and those that went into the background with its variable.
 */
const SERVERS = guestProgram('servers.sh');

const STOP_SERVERS = 'pointsman_stop';
