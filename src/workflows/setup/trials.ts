import type { Lane } from '../../activities/setup/race';
import type { RanSetup } from '../../activities/setup/sandbox';
import type { Ref, TrialRecord } from '../../contract';
import { markTried, type SetupRun, type SetupState } from './state';

/** What the agent is told: blobs and words, joined by lines. */
export type Told = readonly (Ref | string)[];
export type Ran = Pick<RanSetup, 'output' | 'exitCode' | 'signature'>;

interface Rival {
  readonly unit: string;
  readonly command: Ref;
}

/** What came of a trial; whether it is kept is decided by who asked for it. */
export interface Tried {
  readonly command: Ref;
  /** Whether the sandbox is what the trial left. */
  readonly here: boolean;
  readonly exitCode: number | null;
  readonly told: Told;
  /** The command that had failed, run once more. */
  readonly again: Ran | null;
  /** The command that had failed came further, although it fails still. */
  readonly forward: boolean;
  readonly record: TrialRecord;
}

/** Units of experience tried out: alone in the sandbox itself, or several against each other. */
export class SetupTrials {
  constructor(private readonly setup: Pick<SetupRun, 'state' | 'sandbox' | 'input'>) {}

  /** The trial in the sandbox itself, then the command that had failed once more. */
  async alone(unit: string, command: Ref): Promise<Tried> {
    const { state, sandbox } = this.setup;
    const { turn, failure } = state;
    const ran = await sandbox.run({ turn, part: 'trial', command, reads: false, line: `try ${unit}` });
    const basis = { turn, unit, command: ran.line, kept: false };
    if (!failure) {
      const outcome = ran.exitCode === 0 ? ('neutral' as const) : ('failure' as const);
      return {
        command,
        here: true,
        exitCode: ran.exitCode,
        told: [ran.output],
        again: null,
        forward: false,
        record: { ...basis, before: '', after: ran.signature, outcome },
      };
    }
    const again = await sandbox.run({
      turn,
      part: 'check',
      command: failure.command,
      reads: true,
      line: 'the failed command again',
      since: { command: failure.command, output: failure.output, exitCode: failure.exitCode },
    });
    const { outcome, forward = false, before, after } = again.attribution!;
    const told: Told = [
      ran.output,
      `--- the command that had failed, again (exit code ${again.exitCode}) ---`,
      again.output,
    ];
    const record = { ...basis, before, after, outcome };
    return { command, here: true, exitCode: ran.exitCode, told, again, forward, record };
  }

  /** Several units side by side in containers forked from the top frame; the one that is adopted becomes the sandbox. */
  async race(first: Rival, others: readonly Rival[]): Promise<Tried> {
    const { state, sandbox } = this.setup;
    const { turn, failure } = state;
    const rivals = [first, ...others].slice(0, this.setup.input.experience.speculate);
    markTried(
      state,
      rivals.slice(1).map(({ unit }) => unit),
    );
    const raced = await sandbox.race(rivals, failure, turn);
    const { winner, lanes } = raced;
    const lane = lanes[winner ?? 0]!;
    const recordOf = ({ unit, line, before, after, outcome }: Lane): TrialRecord => {
      return { turn, unit, command: line, before, after, outcome, kept: false };
    };
    state.trials.push(...lanes.filter((each) => each !== lane).map(recordOf));
    const told: Told = lanes.flatMap((each) => [
      `--- ${each.unit} (exit code ${each.exitCode}): ${each.outcome} ---`,
      each.output,
    ]);
    // Without a winner nothing came into the sandbox: there is nothing to keep, and nothing to roll back.
    const here = winner !== null;
    return {
      command: lane.command,
      here,
      exitCode: lane.exitCode,
      told,
      again: here ? lane.again : null,
      forward: here && lane.forward === true,
      record: recordOf(lane),
    };
  }
}

/** Commands of a trial that stand; the one that had failed is among them when it went through. */
export function standing(
  { command, again }: Pick<Tried, 'command' | 'again'>,
  { outcome }: TrialRecord,
  failure: SetupState['failure'],
): Ref[] {
  const through = again ? again.exitCode === 0 : outcome === 'success';
  return failure && through ? [command, failure.command] : [command];
}

/** A trial in a sentence or two, as the agent is told it. */
export function verdictLine({ unit, outcome, before, after, kept }: TrialRecord): string {
  const change =
    before === '' ? '' : after === '' ? ` "${before}" is gone.` : ` Before: "${before}". After: "${after}".`;
  return `${unit}: ${outcome}.${change} The trial was ${kept ? 'kept' : 'rolled back: nothing that it did is there'}.`;
}
