import type { Ref, RepoSetupInput, RepoSetupResult, SetupVerdictResult } from '../../contract';
import type { Allowance } from './allowance';
import { isCancellation, messageOf } from './failures';
import { setupStore } from './setup-activities';
import type { SetupSandbox } from './setup-sandbox';
import { type SetupState, spentUnits } from './setup-state';

const OFFERED = 3;

/**
 * Experience in the loop: units are looked up when something new stands in the way, and every look-up is audited by what
 * happened after it, at the next one or at the end. `off` does nothing at all; `frozen` writes nothing. It is advice: where
 * it cannot be had, the report says so and the run goes on without it.
 */
export class SetupMemory {
  /** Error and units that were out of question at the last look-up: the same question has the same answer. */
  private asked = '';

  constructor(
    private readonly state: SetupState,
    private readonly sandbox: SetupSandbox,
    private readonly input: RepoSetupInput,
    private readonly run: string,
    private readonly given: Ref,
    private readonly allowance: Allowance,
  ) {}

  /** After a command, a trial or a verify: the offer follows what stands in the way now. */
  async consider(): Promise<void> {
    const { state, input } = this;
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
          ...{ ...this.librarian(), lease: this.sandbox.at, given: this.given, turn, command, output },
          ...{ exclude, learn: input.experience.mode === 'learn', most: OFFERED },
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
    this.state.offer = null;
  }

  /** Other units of the offer that were not tried, with the commands that their atoms give. */
  async rivals(unit: string): Promise<{ unit: string; command: Ref }[]> {
    const { offer } = this.state;
    if (!offer) return [];
    return setupStore.rivalUnits({ suggestions: offer.suggestions, except: [unit, ...spentUnits(this.state)] });
  }

  /** What became of the units that were shown last. */
  async audit(): Promise<void> {
    const { anchor, head, trials } = this.state;
    this.state.anchor = null;
    if (!anchor || this.input.experience.mode !== 'learn') return;
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
    if (this.input.experience.mode !== 'learn') return [];
    const summary = 'units from this run';
    const created = new Date().toISOString();
    const { head, trials } = this.state;
    const done = await this.ifAnswered(summary, () =>
      this.host().learnUnits.executeWithOptions({ summary }, [
        { ...this.librarian(), given: this.given, head, verdict, trials, created },
      ]),
    );
    if (!done) return [];
    this.spend(done.usage);
    this.state.notes.push(
      ...(done.refused ?? []).map((why) => `experience: a draft of the librarian is no unit: ${why}`),
    );
    return done.learned;
  }

  private async ifAnswered<T>(what: string, ask: () => Promise<T>): Promise<T | null> {
    const broke = this.input.roles.librarian.startsWith('builtin:') ? null : this.allowance.penniless;
    if (broke) {
      this.state.notes.push(`experience: ${what}: ${broke.why}`);
      return null;
    }
    try {
      return await ask();
    } catch (error) {
      if (isCancellation(error)) throw error;
      this.state.notes.push(`experience: ${what}: ${messageOf(error)}`);
      return null;
    }
  }

  private spend({
    costUsd,
    promptTokens,
    completionTokens,
  }: {
    costUsd: number;
    promptTokens: number;
    completionTokens: number;
  }): void {
    this.state.purse.usd += costUsd;
    this.state.purse.tokens += promptTokens + completionTokens;
  }

  private librarian() {
    const { budget, roles, experience } = this.input;
    const { memory, shipped } = experience;
    return {
      ...{ run: this.run, policy: roles.librarian },
      ...(memory === undefined ? {} : { memory }),
      shipped,
      ...(budget ? { budget } : {}),
    };
  }

  private host() {
    return this.sandbox.host();
  }
}
