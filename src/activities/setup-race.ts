import type { Frame, Lease, Ref, SandboxProfile, ServiceSpec, TrialRecord } from '../contract';
import { checkpoint } from '../sandbox/frames';
import type { Owner } from '../sandbox/labels';
import { errorSignature } from '../setup/error-signature';
import { attribute } from '../setup/loop/attribution';
import { oneLine, strict } from '../setup/loop/commands';
import { installCommand } from '../setup/loop/services';
import { readCounts } from '../setup/test-output';
import type { Deps } from './deps';
import { withHeartbeat } from './heartbeat';
import { createReader } from './setup-chain';

export interface RaceInput {
  readonly owner: Owner;
  readonly lease: Lease;
  readonly profile: SandboxProfile;
  readonly services: readonly ServiceSpec[];
  readonly base: string;
  readonly frame: Frame;
  readonly turn: number;
  readonly rivals: readonly { readonly unit: string; readonly command: Ref }[];
  /** The command that had failed; without one a trial's own exit code is all there is, and nobody wins. */
  readonly failure: { readonly command: Ref; readonly output: Ref; readonly exitCode: number | null } | null;
  readonly seconds: number;
}

export interface Lane {
  readonly unit: string;
  readonly command: Ref;
  readonly exitCode: number | null;
  readonly output: Ref;
  /** The command in one line. */
  readonly line: string;
  readonly outcome: TrialRecord['outcome'];
  readonly before: string;
  readonly after: string;
}

export interface Raced {
  readonly lanes: readonly Lane[];
  /** Which lane succeeded first, and the frame of what it left; null where none did. */
  readonly winner: number | null;
  readonly frame: Frame | null;
}

export function createSetupRaceActivities(deps: Deps) {
  const { host, blobs } = deps;
  const reader = createReader(deps);

  async function run(container: string, id: string, text: string, seconds: number) {
    const done = await host.journal(container, (journal) =>
      journal.run({ id, after: '*', command: strict(text), timeoutMs: seconds * 1000 }),
    );
    return { exitCode: done.exitCode, text: done.output.toString('utf8'), output: await blobs.put(done.output) };
  }

  async function drive(input: RaceInput, at: number, signal: AbortSignal): Promise<Lane> {
    const { owner, lease, frame, failure, turn, seconds } = input;
    const { unit, command } = input.rivals[at]!;
    const role = `lane-${at}`;
    const profile = { ...input.profile, network: frame.network as SandboxProfile['network'], hostCertificates: false };
    await host.ensure({ owner, role, image: frame.image, workdir: lease.workdir, profile });
    const container = host.nameOf(owner, role);
    const { services, base } = input;
    await deps.services.start(
      { owner, lease: { ...lease, container }, services, base, install: installCommand },
      signal,
    );
    const trial = await run(container, `${turn}-trial-${at}`, await reader.text(command), seconds);
    const basis = {
      unit,
      command,
      exitCode: trial.exitCode,
      output: trial.output,
      line: oneLine(await reader.text(command)),
    };
    if (!failure) {
      const outcome = trial.exitCode === 0 ? ('neutral' as const) : ('failure' as const);
      return { ...basis, outcome, before: '', after: trial.exitCode === 0 ? '' : errorSignature(trial.text) };
    }
    const failed = await reader.text(failure.command);
    const again = await run(container, `${turn}-check-${at}`, failed, seconds);
    const counted = (text: string) => readCounts(failed, text)?.counts ?? null;
    const before = await reader.text(failure.output);
    const judged = attribute(
      { exitCode: failure.exitCode, output: before, counts: counted(before) },
      { exitCode: again.exitCode, output: again.text, counts: counted(again.text) },
    );
    return { ...basis, ...judged };
  }

  return {
    /**
     * Speculation with several units: each is tried in a container forked from one frame, all at once, and judged by the
     * command that had failed. The first success is committed as the next frame. Retry-safe: lanes begin fresh, and the
     * frame's tag is the same each time.
     */
    async raceTrials(input: RaceInput): Promise<Raced> {
      return withHeartbeat(async (signal) => {
        const { owner, frame, rivals } = input;
        const clear = () => Promise.all(rivals.map((_, at) => host.remove(owner, `lane-${at}`)));
        await clear();
        try {
          const lanes: (Lane | undefined)[] = rivals.map(() => undefined);
          const driven = rivals.map(async (_, at) => {
            const lane = await drive(input, at, signal);
            lanes[at] = lane;
            if (lane.outcome !== 'success') throw new Error(lane.outcome);
            return at;
          });
          const winner = await Promise.any(driven).catch(() => null);
          // Those that still run were overtaken: whatever they would say, the frame is decided.
          if (winner === null) await Promise.allSettled(driven).then((all) => assertNoOutage(all, lanes));
          const nothing = await blobs.put('');
          const told = rivals.map((rival, at) => lanes[at] ?? overtaken(rival, nothing));
          if (winner === null) return { lanes: told, winner, frame: null };
          const container = host.nameOf(owner, `lane-${winner}`);
          const request = { owner, index: frame.index + 1, label: `after ${rivals[winner]!.unit}` };
          const won = await host.journal(container, (journal) =>
            checkpoint(host.docker, host.docker.getContainer(container), journal, request),
          );
          return { lanes: told, winner, frame: { ...won, services: frame.services } };
        } finally {
          await clear();
        }
      });
    },
  };
}

function overtaken({ unit, command }: RaceInput['rivals'][number], output: Ref): Lane {
  return { unit, command, exitCode: null, output, line: 'overtaken', outcome: 'neutral', before: '', after: '' };
}

/** A lane that broke is an outage to be tried again, and no verdict on its unit. */
function assertNoOutage(all: readonly PromiseSettledResult<number>[], lanes: readonly (Lane | undefined)[]): void {
  const broken = all.find((each, at) => each.status === 'rejected' && lanes[at] === undefined);
  if (broken?.status === 'rejected') throw broken.reason;
}
