import type { Ref, RepoSetupResult, SetupVerdictResult, Usage } from '../../contract';
import { isCancellation, messageOf } from '../durable/failures';
import { setupStore } from './activities';
import { type SetupRun, spentUnits } from './state';

const OFFERED = 3;

/**
 * Experience in the loop: units are looked up when something new stands in the way, and every look-up is audited by what
 * happened after it, at the next one or at the end. `off` does nothing at all; `frozen` writes nothing. It is advice: where
 * it cannot be had, the report says so and the run goes on without it.
 */
export class SetupMemory {
  /** Error and units that were out of question at the last look-up: the same question has the same answer. */
  private asked = '';

  constructor(private readonly setup: SetupRun) {}

  /** After a command, a trial or a verify: the offer follows what stands in the way now. */
  async consider(): Promise<void> {
    const { state, input } = this.setup;
    const { failure } = state;
    if (input.experience.mode === 'off') return;
    if (!failure) return this.forgetOffer();
    const { command, output, turn, signature } = failure;
    const spent = spentUnits(state);
    state.offer = state.offers[signature] ?? null;
    if (state.offer?.units.some((unit) => !spent.includes(unit))) return;
    const exclude = [...new Set([...spent, ...(state.shown[signature] ?? [])])];
    const asked = [signature, ...exclude].join('\n');
    if (this.asked === asked) return;
    this.asked = asked;
    await this.audit();
    const summary = `experience: ${signature}`.slice(0, 120);
    const found = await this.ifAnswered(`look-up of turn ${turn}`, () =>
      this.host().suggestUnits.executeWithOptions({ summary }, [
        {
          ...this.librarian(),
          lease: this.setup.sandbox.at,
          given: this.setup.given,
          turn,
          command,
          output,
          exclude,
          learn: input.experience.mode === 'learn',
          most: OFFERED,
        },
      ]),
    );
    if (!found) return;
    this.spend(found.usage);
    state.anchor = found.anchor;
    if (!found.suggestions) return;
    state.offer = { suggestions: found.suggestions, units: found.units };
    state.offers[signature] = state.offer;
    state.shown[signature] = [...(state.shown[signature] ?? []), ...found.units];
  }

  private forgetOffer(): void {
    this.asked = '';
    this.setup.state.offer = null;
  }

  /** Other units of the offer that were not tried, with the commands that their atoms give. */
  async rivals(unit: string): Promise<{ unit: string; command: Ref }[]> {
    const { offer } = this.setup.state;
    if (!offer) return [];
    return setupStore.rivalUnits({ suggestions: offer.suggestions, except: [unit, ...spentUnits(this.setup.state)] });
  }

  /** What became of the units that were shown last. */
  async audit(): Promise<void> {
    const { anchor, head, trials } = this.setup.state;
    this.setup.state.anchor = null;
    if (!anchor || this.setup.input.experience.mode !== 'learn') return;
    const summary = `audit of ${anchor.id}`;
    const audited = await this.ifAnswered(summary, () =>
      this.host().auditUnits.executeWithOptions({ summary }, [
        { ...this.librarian(), anchor, head, trials: trials.filter(({ turn }) => turn > anchor.turn) },
      ]),
    );
    if (audited) this.spend(audited.usage);
  }

  /** After the run: units from what it met, judged as its environment was. */
  async learn(verdict: SetupVerdictResult | null): Promise<RepoSetupResult['learned']> {
    if (this.setup.input.experience.mode !== 'learn') return [];
    const summary = 'units from this run';
    const created = new Date().toISOString();
    const { head, trials } = this.setup.state;
    const done = await this.ifAnswered(summary, () =>
      this.host().learnUnits.executeWithOptions({ summary }, [
        { ...this.librarian(), given: this.setup.given, head, verdict, trials, created },
      ]),
    );
    if (!done) return [];
    this.spend(done.usage);
    this.setup.state.notes.push(
      ...(done.refused ?? []).map((why) => `experience: a draft of the librarian is no unit: ${why}`),
    );
    return done.learned;
  }

  private async ifAnswered<T>(what: string, ask: () => Promise<T>): Promise<T | null> {
    const broke = this.setup.input.roles.librarian.startsWith('builtin:') ? null : this.setup.allowance.penniless;
    if (broke) {
      this.setup.state.notes.push(`experience: ${what}: ${broke.why}`);
      return null;
    }
    try {
      return await ask();
    } catch (error) {
      if (isCancellation(error)) throw error;
      this.setup.state.notes.push(`experience: ${what}: ${messageOf(error)}`);
      return null;
    }
  }

  private spend(usage: Usage): void {
    this.setup.purse.usd += usage.costUsd;
    this.setup.purse.tokens += usage.promptTokens + usage.completionTokens;
  }

  private librarian() {
    const { budget, roles, experience } = this.setup.input;
    const { memory, shipped } = experience;
    return { run: this.setup.run, policy: roles.librarian, memory, shipped, budget };
  }

  private host() {
    return this.setup.sandbox.host();
  }
}
