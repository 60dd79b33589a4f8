import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Frame, SandboxProfile, type ServiceSpec, type SetupAction, type VerifierResult } from '../src/contract';
import { BASE_IMAGE } from '../src/machine/image';
import { Roots } from '../src/roots';
import { openSandboxes } from '../src/sandbox';
import type { Sandboxes } from '../src/sandbox/sandbox';
import { attribute } from '../src/setup/loop/attribution';
import { setEnvCommand, strict } from '../src/setup/loop/commands';
import { completeService, installCommand } from '../src/setup/loop/services';
import { playbook } from '../src/setup/playbook/playbook';
import { surveyOf } from '../src/setup/repository/markers';
import { NO_COUNTS, type SeenAction, type SetupDossier } from '../src/setup/roles/role';
import { readCounts } from '../src/setup/test-output';
import { fetchSource } from '../src/sources/fetch';
import { FileBlobs } from '../src/store/local/blobs';
import { suggestionsFor } from './lab-suggestions';

const BASE = BASE_IMAGE;
const WORKDIR = '/repo';
const COMMAND_MS = 900_000;

export interface LabOptions {
  /** Paths that are removed first, as an exported tree lacks them. */
  readonly without?: RegExp;
  /** Offers the shipped units; a trial is kept or taken back by the same evidence as in the loop. */
  readonly experience?: boolean;
  readonly steps?: number;
  readonly log?: (line: string) => void;
  /** Files instead of a source that is fetched. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface LabResult {
  readonly success: boolean;
  readonly message: string;
  readonly seen: readonly SeenAction[];
  readonly counts: VerifierResult['counts'];
  readonly seconds: number;
}

/**
 * The playbook in a container, without Temporal: every action for real, and `verify` as the last test command once more
 * without a network, which is less than a verifier does. For working on the playbook, not for judging it.
 */
export async function runLab(source: string, options: LabOptions = {}): Promise<LabResult> {
  const started = Date.now();
  const log = options.log ?? (() => {});
  const owner = { workflowId: `lab/${source}`, firstRunId: randomUUID() };
  const sandboxes = openSandboxes('lab');
  const folder = process.env.POINTSMAN_LAB_BLOBS ?? mkdtempSync(join(tmpdir(), 'pointsman-lab-'));
  try {
    const { files, version } = await filesOf(source, options, sandboxes, owner, folder);
    const survey = surveyOf([...files].map(([path, { bytes }]) => [path, bytes.toString('utf8')] as const));
    const profile = SandboxProfile.parse({ network: 'bridge', memoryMiB: 4096, pids: 1024 });
    const sandbox = await sandboxes.claim({ owner, role: 'main', image: BASE, workdir: WORKDIR, profile });
    await sandbox.write([...files].map(([path, file]) => ({ path: `${WORKDIR}/${path}`, ...file })));
    let position = 0;
    const run = async (command: string) => {
      const request = { id: `step-${++position}`, after: '*', command: strict(command), timeoutMs: COMMAND_MS };
      const result = await sandbox.journal((journal) => journal.run(request));
      return {
        exitCode: result.reason === 'exit' ? result.exitCode : null,
        output: result.output.toString('utf8'),
        timedOut: result.reason === 'timeout',
      };
    };
    await run(`cd ${WORKDIR}`);
    const frames: { frame: Frame; before: number }[] = [];
    const back = async () => {
      const last = frames.pop();
      if (!last) return;
      await sandboxes.restore({ owner, role: 'main', workdir: WORKDIR, profile }, last.frame);
      seen.forEach((step, at) => {
        if (step.turn >= last.before) seen[at] = { ...step, undone: true };
      });
    };
    let taken = 0;
    /** Checkpoint, adapt, trial, attribute, keep or roll back. */
    const trial = async (command: string, turn: number) => {
      const frame = await sandbox.snapshot({ owner, index: taken++, label: 'trial' });
      frames.push({ frame, before: turn });
      const adapted = await run(command);
      const failing = seen.filter(({ move, observed }) => move.action === 'shell' && observed.exitCode !== 0).at(-1);
      if (failing?.move.action !== 'shell') return { adapted, undone: false };
      const text = failing.move.command;
      const again = await run(text);
      const [before, after] = [failing.observed, again].map((one) => ({
        ...one,
        counts: readCounts(text, one.output)?.counts ?? null,
      }));
      const { outcome } = attribute(before!, after!);
      log(`     trial: ${outcome}`);
      if (outcome === 'failure') await back();
      return { adapted, undone: outcome === 'failure' };
    };
    const seen: SeenAction[] = [];
    const services: ServiceSpec[] = [];
    let verified: VerifierResult | null = null;
    for (let turn = 1; turn <= (options.steps ?? 40); turn++) {
      const last = seen.at(-1);
      const dossier: SetupDossier = {
        source,
        version,
        released: null,
        goal: '',
        workdir: WORKDIR,
        survey,
        components: [],
        services,
        wanted: [],
        seen,
        suggestions: options.experience && last ? suggestionsFor(last, { survey, workdir: WORKDIR }, seen) : [],
        verified,
        stepsLeft: 40 - turn,
      };
      const action = playbook(dossier);
      log(`${String(turn).padStart(2)} ${action.thought}\n     ${lineOf(action)}`);
      if (action.action === 'finish') {
        const counts = verified?.counts ?? NO_COUNTS;
        return {
          success: action.success,
          message: action.message,
          seen,
          counts,
          seconds: (Date.now() - started) / 1000,
        };
      }
      const began = Date.now();
      let undone = false;
      let observed = { exitCode: 0 as number | null, output: '', timedOut: false };
      if (action.action === 'verify') {
        verified = await verify(seen, run);
        observed = { ...observed, exitCode: verified.success ? 0 : 1, output: verified.evidence?.preview ?? '' };
      } else if (action.action === 'rollback') {
        await back();
      } else if (action.action === 'try_experience') {
        const { adapted, undone: taken } = await trial(commandOf(action, dossier), turn);
        observed = adapted;
        undone = taken;
      } else {
        observed = await run(commandOf(action, dossier));
        if (action.action === 'start_service' && observed.exitCode === 0) services.push(action.service);
      }
      seen.push({ move: action, observed, turn, undone, notes: [] });
      const tail =
        observed.exitCode === 0
          ? ''
          : `\n${observed.output
              .trim()
              .split('\n')
              .slice(-8)
              .map((line) => `       | ${line.slice(0, 200)}`)
              .join('\n')}`;
      log(`     -> ${observed.exitCode} in ${((Date.now() - began) / 1000).toFixed(1)} s${tail}`);
    }
    return {
      success: false,
      message: 'out of steps',
      seen,
      counts: verified?.counts ?? NO_COUNTS,
      seconds: (Date.now() - started) / 1000,
    };
  } finally {
    await sandboxes.removeAll(owner.firstRunId);
    sandboxes.close();
    if (!process.env.POINTSMAN_LAB_BLOBS) rmSync(folder, { recursive: true, force: true });
  }
}

async function filesOf(
  source: string,
  options: LabOptions,
  sandboxes: Sandboxes,
  owner: { workflowId: string; firstRunId: string },
  folder: string,
) {
  if (options.files) {
    const own = Object.entries(options.files).map(
      ([path, text]) => [path, { bytes: Buffer.from(text), executable: path.endsWith('.sh') }] as const,
    );
    return { files: new Map(own), version: null };
  }
  const deps = { sandboxes, blobs: new FileBlobs(folder), roots: Roots.any };
  const { tree, resolved } = await fetchSource(deps, owner, source, undefined, BASE, AbortSignal.timeout(300_000));
  return {
    files: new Map([...tree].filter(([path]) => !options.without?.test(path))),
    version: resolved.version ?? null,
  };
}

/** The last tests that ran or were built, in namespaces that have no network. */
async function verify(
  seen: readonly SeenAction[],
  run: (command: string) => Promise<SeenAction['observed']>,
): Promise<VerifierResult> {
  const tests = seen.findLast(
    ({ move }) => move.action === 'shell' && /^\[goal \S+\/(?:tests|build)\b/.test(move.thought),
  );
  // Tests that were only built are run here.
  const built = tests && 'command' in tests.move ? (tests.move.command ?? '') : 'false';
  const command = built.replace(/ --no-run\b| -run '\^\$'/, '');
  const done = await run(command);
  const reading = readCounts(command, done.output);
  const counts = reading?.counts ?? NO_COUNTS;
  const smoke = counts.collected === 0;
  const success = smoke
    ? done.exitCode === 0
    : counts.passed > 0 && counts.errors === 0 && counts.failed <= counts.passed / 10;
  const preview = done.output.slice(-6000);
  const ref = { sha256: '0'.repeat(64), bytes: done.output.length, preview: '' };
  return {
    success,
    framework: reading?.framework ?? null,
    counts,
    evidence: { command, exitCode: done.exitCode, timedOut: done.timedOut, output: ref as never, preview },
    failures: [],
    smoke,
    hint: '',
    head: '',
  };
}

function commandOf(action: SetupAction, dossier: SetupDossier): string {
  switch (action.action) {
    case 'shell':
      return action.command;
    case 'set_env':
      return setEnvCommand(action);
    case 'try_experience':
      return (
        action.command ?? dossier.suggestions.find(({ unit }) => unit === action.unit)?.commands.join(' && ') ?? 'false'
      );
    case 'start_service': {
      const service = completeService(action.service);
      const ready = service.health ?? `exec 3<>/dev/tcp/127.0.0.1/${service.port}`;
      return `${installCommand(service) ?? 'true'} && { (setsid bash -c ${JSON.stringify(service.start ?? 'true').replaceAll('$', '\\$')} > /tmp/service.log 2>&1 < /dev/null &) ; for i in $(seq 60); do (${ready}) && exit 0; sleep 0.5; done; cat /tmp/service.log; false; }`;
    }
    default:
      return 'false';
  }
}

function lineOf(action: SetupAction): string {
  switch (action.action) {
    case 'shell':
      return action.command.slice(0, 400);
    case 'try_experience':
      return `try ${action.unit} ${action.command ?? ''}`;
    case 'start_service':
      return `start ${action.service.name}`;
    case 'finish':
      return `${action.success ? 'finish' : 'give up'}: ${action.message}`;
    default:
      return action.action;
  }
}

async function main(args: readonly string[]): Promise<void> {
  const without = args.find((arg) => arg.startsWith('--without='))?.slice('--without='.length);
  for (const source of args.filter((arg) => !arg.startsWith('--'))) {
    const options = {
      log: console.log,
      experience: args.includes('--experience'),
      ...(without ? { without: new RegExp(without) } : {}),
    };
    const { success, message, seen, counts, seconds } = await runLab(source, options).catch((error: Error) => ({
      success: false,
      message: `${error.message}`,
      seen: [],
      counts: NO_COUNTS,
      seconds: 0,
    }));
    const units = seen.filter(({ move }) => move.action === 'try_experience').length;
    console.log(
      `RESULT | ${source} | ${success ? 'ok' : 'NO'} | ${seen.length} steps | ${Math.round(seconds)} s | ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped, ${counts.errors} errors | ${units} units | ${message.slice(0, 160)}`,
    );
  }
}

if (require.main === module) {
  main(process.argv.slice(2)).then(
    () => process.exit(0),
    (error: Error) => {
      console.error(error);
      process.exit(1);
    },
  );
}
