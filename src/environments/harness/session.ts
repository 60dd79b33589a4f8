import type { CaseOutcome, SandboxProfile } from '../../contract';
import type { HarnessRun } from '../../problems/equivalence/run';
import type { Owner } from '../../sandbox/labels';
import type { ConfinedSandbox, GuestFile, LinesRead, Sandbox } from '../../sandbox/sandbox';
import type { GenerateRequest, RecordRequest, RunRequest } from './protocol';
import { RunReader } from './read-run';
import { GUEST, type HarnessHost, TOOLS } from './tools-image';

export interface HarnessRoomSpec {
  readonly owner: Owner;
  readonly role: string;
  /** Of `ensureHarnessImage`, or one that `ensurePurgedImage` made of it. */
  readonly image: string;
  readonly profile: SandboxProfile;
  /** Interpreter of the environment. */
  readonly python: string;
}

interface RunOptions {
  /** PYTHONHASHSEED: the order of sets and of what is made of them. */
  readonly hashSeed?: number;
  /** Directory that the guest is started in. */
  readonly cwd?: string;
  /** Called with each outcome as it comes; `enough` ends the run there, and what is left counts as missing. */
  readonly onOutcome?: (outcome: CaseOutcome) => 'enough' | undefined;
}

/** A container in which harnesses are run, for as long as `use` of `openHarnessRoom` takes. */
export interface HarnessRoom {
  readonly sandbox: Sandbox;
  run(request: RunRequest, options?: RunOptions): Promise<HarnessRun>;
  /** Lines of `record.py`, as they came. */
  record(request: RecordRequest): Promise<GuestAnswer>;
  /** Lines of `generate.py`, as they came. */
  generate(request: GenerateRequest): Promise<GuestAnswer>;
  write(files: readonly GuestFile[]): Promise<void>;
  read(path: string): Promise<Buffer | undefined>;
}

export interface GuestAnswer {
  readonly lines: readonly string[];
  /** Why it did not come to its own end; null when it did. */
  readonly cut: string | null;
  readonly printed: string;
}

const REQUEST = '/var/tmp/pointsman-request.json';
/** Interpreter and packages may take this long to load, beside the time that cases have. */
const START_SECONDS = 150;
/** The guest's own deadlines come first; these are for a guest that was itself stopped. */
const GRACE_SECONDS = 20;
const MAX_BYTES = 64 << 20;
const DISK_POLL_MS = 2000;

/**
 * Opens a container without network for harness runs and removes it when `use` is done. It begins fresh, so an activity
 * that is tried again repeats nothing on top of what a killed attempt left. Throws `NotFound` when the image is gone and
 * `SandboxLost` when the container died under a run: outages, never findings.
 */
export async function openHarnessRoom<T>(
  deps: HarnessHost,
  spec: HarnessRoomSpec,
  signal: AbortSignal,
  use: (room: HarnessRoom) => Promise<T>,
): Promise<T> {
  const { owner, role, image, profile } = spec;
  const sandbox = await deps.sandboxes.confined({ owner, role, image, profile });
  try {
    return await use(roomIn(sandbox, spec, signal));
  } finally {
    await sandbox.remove();
  }
}

function roomIn(sandbox: ConfinedSandbox, spec: HarnessRoomSpec, signal: AbortSignal): HarnessRoom {
  const start = (script: string, request: object, limits: Limits, take: (line: string) => 'enough' | undefined) =>
    runScript(sandbox, spec, { script, request, ...limits }, signal, take);
  const collect = async (script: string, request: object, limits: Limits): Promise<GuestAnswer> => {
    const lines: string[] = [];
    const { cut, printed } = await start(script, request, limits, (line) => {
      lines.push(line);
      return undefined;
    });
    return { lines, cut, printed };
  };
  return {
    sandbox,
    async run(request, options = {}) {
      const began = performance.now();
      const reader = new RunReader(request.cases);
      const seconds = START_SECONDS + request.cases.length * (request.secondsPerCase + GRACE_SECONDS);
      const env = { PYTHONHASHSEED: String(options.hashSeed ?? 0) };
      const silence = START_SECONDS + request.secondsPerCase;
      const limits = { seconds, silence, env, ...(options.cwd ? { cwd: options.cwd } : {}) };
      const { cut, printed } = await start('run', { ...request, tools: TOOLS.coverage }, limits, (line) => {
        const outcome = reader.take(line);
        return outcome && options.onOutcome?.(outcome);
      });
      return reader.finish({ cut, printed, seconds: Math.round(performance.now() - began) / 1000 });
    },
    record: (request) => collect('record', request, { seconds: request.seconds + START_SECONDS, env: {} }),
    generate: (request) =>
      collect(
        'generate',
        { ...request, tools: TOOLS.hypothesis },
        {
          seconds: request.seconds + START_SECONDS,
          env: { PYTHONHASHSEED: '0' },
        },
      ),
    write: (files) => sandbox.write(files),
    read: async (path) => (await sandbox.read(path)).get(path),
  };
}

interface Limits {
  readonly seconds: number;
  /** Seconds between two lines. */
  readonly silence?: number;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Runs one of the guest's scripts. Nothing of it runs any more when this returns. */
async function runScript(
  sandbox: ConfinedSandbox,
  { python, profile }: HarnessRoomSpec,
  script: Limits & { readonly script: string; readonly request: object },
  signal: AbortSignal,
  take: (line: string) => 'enough' | undefined,
): Promise<{ cut: string | null; printed: string }> {
  await sandbox.write([{ path: REQUEST, bytes: Buffer.from(JSON.stringify(script.request)) }]);
  const disk = watchDisk(sandbox, profile.diskMiB);
  let orderly = false;
  try {
    const read = await sandbox.execLines(
      {
        // Standard output is the guest's own pipe; what the code prints goes to standard error.
        command: 'exec 9>&1 1>&2 </dev/null; exec "$1" -B "$2" "$3" 9',
        args: [python, `${GUEST}/${script.script}.py`, REQUEST],
        cwd: script.cwd ?? '/',
        env: { PYTHONDONTWRITEBYTECODE: '1', ...profile.env, ...script.env },
        timeoutMs: script.seconds * 1000,
        silenceMs: (script.silence ?? script.seconds) * 1000,
        maxBytes: MAX_BYTES,
        signal: AbortSignal.any([signal, disk.signal]),
      },
      take,
    );
    await sandbox.assertAlive(read.exitCode, 'harness');
    orderly = read.ending === 'exited' && read.exitCode === 0;
    return { cut: cutOf(read, script.seconds), printed: read.stderr };
  } catch (error) {
    if (!disk.signal.aborted || signal.aborted) throw error;
    return { cut: `it wrote more than ${profile.diskMiB} MiB`, printed: '' };
  } finally {
    disk.stop();
    // A guest that came to its end has ended all that its cases began.
    if (!orderly && !signal.aborted) await sandbox.endAll();
  }
}

function cutOf({ ending, exitCode, stderr }: LinesRead, seconds: number): string | null {
  switch (ending) {
    case 'enough':
      return 'it was stopped where it differed';
    case 'deadline':
      return `it neither ended within ${seconds} s nor said anything for long`;
    case 'flooded':
      return `it answered with more than ${MAX_BYTES} bytes`;
    case 'exited':
      return exitCode === 0 ? null : `its process ended with ${exitCode}: ${stderr.trim().slice(-500)}`;
    default:
      return ending satisfies never;
  }
}

/** Few engines have quotas: what a container writes is looked at every few seconds. */
function watchDisk(sandbox: Sandbox, limitMiB: number): { signal: AbortSignal; stop: () => void } {
  const over = new AbortController();
  const timer = setInterval(() => {
    sandbox.writtenBytes().then(
      (written) => written > limitMiB * 1048576 && over.abort(),
      () => {},
    );
  }, DISK_POLL_MS);
  return { signal: over.signal, stop: () => clearInterval(timer) };
}
