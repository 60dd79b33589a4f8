import type { Frame, Lease, Ref, SandboxProfile, ServiceSpec, TrialRecord } from '../../contract';
import type { Deps } from '../../deps';
import { withBuilt } from '../../environments/built-for';
import { type Owner, runName } from '../../sandbox/labels';
import type { Sandbox } from '../../sandbox/sandbox';
import { errorSignature } from '../../setup/error-signature';
import { attribute } from '../../setup/loop/attribution';
import { oneLine, strict } from '../../setup/loop/commands';
import { installCommand } from '../../setup/loop/services';
import { readCounts } from '../../setup/test-output';
import { withHeartbeat } from '../heartbeat';
import { createReader } from './chain';

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
  /** What becomes of a trial that nobody can judge, where none succeeded. */
  readonly neutral: 'keep' | 'rollback';
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
  /** The command that had failed came further. Absent from what older code has written. */
  readonly forward?: boolean;
  readonly before: string;
  readonly after: string;
  /** The command that had failed, run again after the trial; null where there was none. */
  readonly again: { readonly exitCode: number | null; readonly output: Ref; readonly signature: string } | null;
}

export interface Raced {
  readonly lanes: readonly Lane[];
  /** The lane that the sandbox goes on in, and the frame of what it left; null where it stays as it was. */
  readonly winner: number | null;
  readonly frame: Frame | null;
}

export function createSetupRaceActivities(deps: Deps) {
  const { sandboxes, blobs } = deps;
  const reader = createReader(deps);

  async function run(sandbox: Sandbox, id: string, text: string, seconds: number) {
    const done = await sandbox.journal((journal) =>
      journal.run({ id, after: '*', command: strict(text), timeoutMs: seconds * 1000 }),
    );
    return { exitCode: done.exitCode, text: done.output.toString('utf8'), output: await blobs.put(done.output) };
  }

  async function drive(input: RaceInput, at: number, signal: AbortSignal): Promise<Lane> {
    const { owner, lease, frame, failure, turn, seconds } = input;
    const { unit, command } = input.rivals[at]!;
    const role = `lane-${at}`;
    const profile = { ...input.profile, network: frame.network as SandboxProfile['network'], hostCertificates: false };
    const sandbox = await sandboxes.claim({ owner, role, image: frame.image, workdir: lease.workdir, profile });
    const { services, base } = input;
    await sandboxes.services.start(
      { owner, lease: { ...lease, container: sandbox.name }, services, base, install: installCommand },
      signal,
    );
    const text = await reader.text(command);
    const trial = await withBuilt(deps, owner, sandbox, { base, seconds, signal, command: text }, () =>
      run(sandbox, `${turn}-trial-${at}`, text, seconds),
    );
    const basis = {
      unit,
      command,
      exitCode: trial.exitCode,
      output: trial.output,
      line: oneLine(text),
    };
    if (!failure) {
      const outcome = trial.exitCode === 0 ? ('neutral' as const) : ('failure' as const);
      const after = trial.exitCode === 0 ? '' : errorSignature(trial.text);
      return { ...basis, outcome, before: '', after, again: null };
    }
    const failed = await reader.text(failure.command);
    const again = await run(sandbox, `${turn}-check-${at}`, failed, seconds);
    const counted = (text: string) => readCounts(failed, text)?.counts ?? null;
    const before = await reader.text(failure.output);
    const judged = attribute(
      { exitCode: failure.exitCode, output: before, counts: counted(before) },
      { exitCode: again.exitCode, output: again.text, counts: counted(again.text) },
    );
    const signature = again.exitCode === 0 ? '' : errorSignature(again.text);
    return { ...basis, ...judged, again: { exitCode: again.exitCode, output: again.output, signature } };
  }

  return {
    /**
     * Speculation with several units: each is tried in a container forked from one frame, all at once, and judged by the
     * command that had failed. The first success is committed as the next frame. Where none succeeds and neutral trials are
     * kept, the best unit's neutral one is, as it would have been one after the other: on a ladder of errors each step
     * looks neutral. Retry-safe: lanes begin fresh, and the frame's tag is the same each time.
     */
    async raceTrials(input: RaceInput): Promise<Raced> {
      return withHeartbeat(async (signal) => {
        const { owner, frame, rivals } = input;
        const clear = () => Promise.all(rivals.map((_, at) => sandboxes.remove(owner, `lane-${at}`)));
        await clear();
        try {
          const lanes: (Lane | undefined)[] = rivals.map(() => undefined);
          const driven = rivals.map(async (_, at) => {
            const lane = await drive(input, at, signal);
            lanes[at] = lane;
            if (lane.outcome !== 'success') throw new Error(lane.outcome);
            return at;
          });
          // Those that still run then were overtaken: whatever they would say, the frame is decided.
          const first = await Promise.any(driven).catch(() => null);
          if (first === null) await Promise.allSettled(driven).then((all) => assertNoOutage(all, lanes));
          const winner = first ?? bestNeutral(lanes, input.neutral === 'rollback');
          const nothing = await blobs.put('');
          const told = rivals.map((rival, at) => lanes[at] ?? overtaken(rival, nothing));
          if (winner === null) return { lanes: told, winner, frame: null };
          const request = { owner, index: frame.index + 1, label: `after ${rivals[winner]!.unit}` };
          const won = await sandboxes.at(runName(owner, `lane-${winner}`)).snapshot(request);
          return { lanes: told, winner, frame: { ...won, services: frame.services } };
        } finally {
          await clear();
        }
      });
    },
  };
}

/** Rivals come best first. With `forwardOnly`, one that came further, and none of which nobody can tell. */
function bestNeutral(lanes: readonly (Lane | undefined)[], forwardOnly: boolean): number | null {
  const at = lanes.findIndex((lane) => lane?.outcome === 'neutral' && (!forwardOnly || lane.forward === true));
  return at < 0 ? null : at;
}

function overtaken({ unit, command }: RaceInput['rivals'][number], output: Ref): Lane {
  const outcome = { outcome: 'neutral' as const, before: '', after: '', again: null };
  return { unit, command, exitCode: null, output, line: 'overtaken', ...outcome };
}

/** A lane that broke is an outage to be tried again, and no verdict on its unit. */
function assertNoOutage(all: readonly PromiseSettledResult<number>[], lanes: readonly (Lane | undefined)[]): void {
  const broken = all.find((each, at) => each.status === 'rejected' && lanes[at] === undefined);
  if (broken?.status === 'rejected') throw broken.reason;
}
