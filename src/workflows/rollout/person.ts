import { allHandlersFinished, condition, defineUpdate, setHandler } from '@temporalio/workflow';
import { type AwaitedPerson, PersonAct, type PersonActed } from '../../contract';
import { checked, refuse } from '../durable/input';
import type { Steering } from '../durable/steering';

const actUpdate = defineUpdate<PersonActed, [PersonAct]>('act');

/** What a person did, until it is known what came of it. */
interface Given {
  readonly act: PersonAct;
  outcome?: { readonly acted: PersonActed } | { readonly refused: string };
}

/**
 * The place of a model that a person takes: a turn waits, for as long as it takes and without asking anywhere, until the
 * update `act` brings what he does. The update is answered when the sandbox has answered, or refused in words.
 */
export class PersonsTurn {
  /** The turn that waits; undefined while none does. */
  awaiting: AwaitedPerson | undefined;
  private given: Given | undefined;
  /** The wait before this one: a turn that waits again, after a pause or a refusal, has waited since then. */
  private before: AwaitedPerson | undefined;
  private stirred = false;

  constructor(
    private readonly steering: Steering,
    /** Called when a turn begins to wait, and when it does no more. */
    private readonly show: () => void,
  ) {}

  listen(): void {
    setHandler(actUpdate, (act) => this.take(act), {
      description:
        '{"turn": 5, "by": "Ann", "tool": "bash", "args": {"command": "ls"}}: a turn that waits for a person.',
      validator: (act) => this.assertFits(act),
    });
  }

  /** Something was said about the run that comes before what is done in it: limits, or who makes the turn. */
  stir(): void {
    this.stirred = true;
  }

  /** What a person does in the turn; undefined where the run has to be looked at again first. */
  async acts(turn: Omit<AwaitedPerson, 'since'>): Promise<PersonAct | undefined> {
    const { steering } = this;
    this.stirred = false;
    this.before = this.awaiting = { ...turn, since: this.since(turn) };
    this.show();
    await condition(() => this.given !== undefined || this.stirred || steering.paused || steering.abandoned);
    if (!this.given) this.awaiting = undefined;
    return this.given?.act;
  }

  /** What came of it. */
  acted(acted: PersonActed): void {
    this.answer({ acted });
  }

  /** Nothing came of it; the turn waits on where the run goes on. */
  refused(why: string): void {
    this.answer({ refused: why });
  }

  /** A run that goes on as another one must have answered. */
  async settled(): Promise<void> {
    if (!allHandlersFinished()) await condition(allHandlersFinished);
  }

  private answer(outcome: NonNullable<Given['outcome']>): void {
    this.awaiting = undefined;
    if (this.given) this.given.outcome = outcome;
    // At once, and not when the update is answered: the turn may wait again before that.
    this.given = undefined;
  }

  private since({ turn, profile }: Omit<AwaitedPerson, 'since'>): string {
    const { before } = this;
    return before?.turn === turn && before.profile === profile ? before.since : new Date().toISOString();
  }

  private assertFits(raw: PersonAct): void {
    const { turn } = checked(PersonAct, raw, 'act');
    const { awaiting, given, steering } = this;
    if (steering.paused) refuse(`act: turn ${turn}: the rollout is paused`, 'Send the update `resume` first.');
    if (steering.parked) refuse(`act: turn ${turn}: the rollout is parked`, 'Mend it, then send the update `resume`.');
    if (!awaiting)
      refuse(`act: turn ${turn}: nobody is waited for now`, 'The query `progress` says when (`awaiting`).');
    if (turn !== awaiting.turn) {
      const late = turn < awaiting.turn ? 'it has been made already' : 'it has not come yet';
      refuse(`act: turn ${turn}: ${late}`, `The turn that waits is ${awaiting.turn}.`);
    }
    if (given) refuse(`act: turn ${turn}: ${given.act.by} is making it`, 'Wait for what comes of it.');
  }

  private async take(raw: PersonAct): Promise<PersonActed> {
    const given: Given = { act: checked(PersonAct, raw, 'act') };
    this.given = given;
    await condition(() => given.outcome !== undefined);
    const { outcome } = given;
    if (outcome && 'acted' in outcome) return outcome.acted;
    return refuse(`act: turn ${given.act.turn}: ${outcome?.refused ?? 'the rollout has ended'}`);
  }
}
