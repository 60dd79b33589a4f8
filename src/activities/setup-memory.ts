import { profileNamed } from '../config';
import type {
  ExperienceDraft,
  ExperienceUnit,
  GuestFacts,
  Judgement,
  Lease,
  Ref,
  RepositoryFacts,
  SetupVerdictResult,
  SharedBudget,
  Situation,
  Suggestion,
  TrialRecord,
  UnitVerdict,
  Usage,
} from '../contract';
import { shipExperience } from '../experience';
import { runInGuest } from '../sandbox/guest-exec';
import { parseExports } from '../sandbox/shell-state';
import {
  AUDITED_STEPS,
  AuditAnswer,
  auditByRules,
  auditPrompt,
  checkedAudit,
  checkedChoice,
  checkedDrafts,
  ExtractAnswer,
  type ExtractOptions,
  extractByRules,
  extractPrompt,
  judgementOf,
  type Prompt,
  RerankAnswer,
  renderAtoms,
  rerankByRules,
  rerankPrompt,
  SameAnswer,
  sameCauseSameFix,
  samePrompt,
} from '../setup/experience';
import { momentsOf } from '../setup/loop/seen';
import { readJsonObject } from '../setup/read-json';
import { factsOf } from '../setup/repository/facts-of';
import { toRepositoryFacts } from '../setup/repository/repository-facts';
import type { Survey } from '../setup/repository/survey';
import { createAsker } from './ask';
import type { Deps } from './deps';
import { withHeartbeat } from './heartbeat';
import { createReader, type Given } from './setup-chain';

/** Who answers the librarian's questions. */
interface Librarian {
  readonly run: string;
  readonly policy: string;
  /** A memory apart; without it the worker's own. */
  readonly memory?: string;
  /** False for a memory apart that begins with nothing. */
  readonly shipped?: boolean;
  readonly budget?: SharedBudget;
}

export interface SuggestInput extends Librarian {
  readonly lease: Lease;
  readonly given: Ref;
  /** The agent's turn after which it is stuck. */
  readonly turn: number;
  readonly command: Ref;
  readonly output: Ref;
  /** Units that were tried, or shown for the same error. */
  readonly exclude: readonly string[];
  /** Whether the retrieval is booked. */
  readonly learn: boolean;
  readonly most: number;
}

/** One retrieval, as the audit that follows some steps later needs it. */
export interface RetrievalAnchor {
  readonly id: string;
  readonly turn: number;
  readonly units: Ref;
  readonly command: Ref;
  readonly output: Ref;
}

export interface AuditInput extends Librarian {
  readonly anchor: RetrievalAnchor;
  readonly head: string;
  /** Trials since the retrieval: the command that had failed was run again after each. */
  readonly trials: readonly TrialRecord[];
}

export interface LearnInput extends Librarian {
  readonly given: Ref;
  readonly head: string;
  readonly verdict: SetupVerdictResult | null;
  readonly created: string;
}

const FREE: Usage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, costUsd: 0 };
const OUTPUT_CHARS = 6_000;

export function createSetupMemoryActivities(deps: Deps) {
  const { blobs, host, config } = deps;
  const ask = createAsker(deps);
  const reader = createReader(deps);

  /** One question to a model. An answer that cannot be read is undefined, and the rules answer instead. */
  async function question<T>(
    { run, policy, budget }: Librarian,
    name: string,
    { system, user }: Prompt,
    read: (value: unknown) => T,
    signal: AbortSignal,
  ): Promise<{ answer: T | undefined; usage: Usage }> {
    const profile = profileNamed(config, policy);
    const request = {
      messages: [
        { role: 'system' as const, content: system },
        { role: 'user' as const, content: user },
      ],
    };
    const call = { run: `${run}/${name}`, turn: 1, attempt: 0, name: policy, profile, request, signal };
    const { reply, usage } = await ask({ ...call, ...(budget ? { budget } : {}) });
    try {
      return { answer: read(readJsonObject(reply.content ?? '')), usage };
    } catch {
      return { answer: undefined, usage };
    }
  }

  const memoryOf = ({ memory }: Librarian) => (memory === undefined ? deps.experience : deps.experience.apart(memory));

  const byRules = ({ policy }: Librarian) => policy.startsWith('builtin:');

  async function factsAbout(given: Given): Promise<RepositoryFacts> {
    return toRepositoryFacts(factsOf(await reader.json<Survey>(given.survey)), 'debian');
  }

  async function rerank(
    input: SuggestInput,
    offered: Suggestion[],
    situation: Situation,
    signal: AbortSignal,
  ): Promise<{ chosen: Suggestion[]; usage: Usage }> {
    const pick = (chosen: readonly { unit: string }[]) =>
      chosen.flatMap(({ unit }) => offered.filter((each) => each.unit === unit)).slice(0, input.most);
    const rules = () => pick(rerankByRules(offered, situation, input.most).chosen);
    if (byRules(input)) return { chosen: rules(), usage: FREE };
    const prompt = rerankPrompt(offered, situation, input.most);
    const asked = await question(input, `rerank-${input.turn}`, prompt, (value) => RerankAnswer.parse(value), signal);
    return {
      chosen: asked.answer ? pick(checkedChoice(offered, asked.answer, input.most)) : rules(),
      usage: asked.usage,
    };
  }

  async function guestFacts(lease: Lease): Promise<GuestFacts> {
    const state = await host.journal(lease.container, (journal) => journal.state());
    const env = parseExports(state.env);
    const { stdout } = await runInGuest(host.docker.getContainer(lease.container), {
      command:
        'for tool in python3 python apt-get apk dnf npm yarn pnpm conda; do printf "%s\\t%s\\n" "$tool" "$(command -v "$tool")"; done',
      env,
      timeoutMs: 20_000,
    });
    const found = new Map(
      stdout
        .toString('utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('\t') as [string, string]),
    );
    const has = (tool: string) => (found.get(tool) ?? '') !== '';
    const settings = env.DJANGO_SETTINGS_MODULE;
    return {
      python: found.get('python3') || found.get('python') || null,
      venv: env.VIRTUAL_ENV ?? null,
      packageManager: has('apt-get') ? 'apt' : has('apk') ? 'apk' : has('dnf') ? 'dnf' : null,
      node: has('npm') ? 'npm' : has('pnpm') ? 'pnpm' : has('yarn') ? 'yarn' : null,
      conda: has('conda'),
      workdir: lease.workdir,
      ...(settings ? { django: { settings } } : {}),
    };
  }

  return {
    /**
     * Units that may help with a failure: candidates of the store, reranked; none is an answer too. Booked as shown unless
     * memory is frozen. Retry-safe: reads, then books under the run and the turn, which counts once.
     */
    async suggestUnits(input: SuggestInput): Promise<{
      preview: string;
      suggestions: Ref | null;
      units: string[];
      anchor: RetrievalAnchor | null;
      usage: Usage;
    }> {
      return withHeartbeat(async (signal) => {
        const given = await reader.json<Given>(input.given);
        const facts = await factsAbout(given);
        const situation: Situation = {
          error: ends(await reader.text(input.output)),
          command: await reader.text(input.command),
          summary: `Setting up a ${facts.lang} project in ${given.workdir}; turn ${input.turn}.`,
        };
        const experience = memoryOf(input);
        if (input.memory === undefined || input.shipped !== false) await shipExperience(experience);
        const ranked = await experience.find(situation, facts, { exclude: input.exclude, limit: 10 });
        const nothing = { preview: 'no unit applies', suggestions: null, units: [], anchor: null };
        if (ranked.length === 0) return { ...nothing, usage: FREE };
        const guest = await guestFacts(input.lease);
        const offered = ranked.map((each) => ({ ...each, commands: renderAtoms(each.atoms, guest).commands }));
        const { chosen, usage } = await rerank(input, offered, situation, signal);
        if (chosen.length === 0) return { ...nothing, usage };
        const units = chosen.map(({ unit }) => unit);
        const id = `turn-${input.turn}`;
        if (input.learn) await experience.anchor({ run: input.run, anchor: id, units, repository: given.source });
        const suggestions = await blobs.put(JSON.stringify(chosen));
        const anchor = { id, turn: input.turn, units: suggestions, command: input.command, output: input.output };
        const preview = chosen.map(({ unit, score }) => `${unit} ${score.toFixed(2)}`).join(', ');
        return { preview, suggestions, units, anchor, usage };
      });
    },

    /** Units of an offer with the commands that their atoms give, without those that give none. Reads blobs only. */
    async rivalUnits(input: {
      suggestions: Ref;
      except: readonly string[];
    }): Promise<{ unit: string; command: Ref }[]> {
      const offered = await reader.json<Suggestion[]>(input.suggestions);
      const able = offered.filter(({ unit, commands }) => !input.except.includes(unit) && commands.length > 0);
      return Promise.all(
        able.map(async ({ unit, commands }) => ({ unit, command: await blobs.put(commands.join(' && ')) })),
      );
    },

    /**
     * The delayed audit of one retrieval: up to five later steps say whether its units helped. Retry-safe: a verdict counts
     * once per run, anchor and unit; one about a unit that was not shown is refused.
     */
    async auditUnits(input: AuditInput): Promise<{ verdicts: UnitVerdict[]; usage: Usage }> {
      return withHeartbeat(async (signal) => {
        const { anchor } = input;
        const shown = await reader.json<Suggestion[]>(anchor.units);
        const after = momentsOf(await reader.actions(input.head)).filter(({ turn }) => turn > anchor.turn);
        const about = {
          units: shown,
          error: ends(await reader.text(anchor.output)),
          command: await reader.text(anchor.command),
        };
        const moments = after.slice(0, AUDITED_STEPS);
        if (moments.length === 0) return { verdicts: [], usage: FREE };
        const rules = () => auditByRules(about, moments);
        let verdicts: UnitVerdict[];
        let usage = FREE;
        if (byRules(input)) verdicts = rules();
        else {
          const prompt = auditPrompt(about, moments);
          const asked = await question(
            input,
            `audit-${anchor.id}`,
            prompt,
            (value) => AuditAnswer.parse(value),
            signal,
          );
          usage = asked.usage;
          const recommended = shown.map(({ unit }) => unit);
          verdicts = asked.answer ? checkedAudit(recommended, asked.answer.verdicts).accepted : rules();
        }
        const undone = new Set(moments.filter((each) => each.undone).map(({ turn }) => turn));
        const booked = withTrials(shown, verdicts, input.trials, undone);
        await memoryOf(input).audit({ run: input.run, anchor: anchor.id, verdicts: booked });
        return { verdicts: booked, usage };
      });
    },

    /**
     * Units out of a finished run, each inserted, merged into its neighbour or found known. Retry-safe: a draft is learned
     * once per run and content; nothing is locked while a model judges.
     */
    async learnUnits(
      input: LearnInput,
    ): Promise<{ learned: { unit: string; how: 'inserted' | 'merged' | 'duplicate' }[]; usage: Usage }> {
      return withHeartbeat(async (signal) => {
        const given = await reader.json<Given>(input.given);
        const moments = momentsOf(await reader.actions(input.head));
        const upheld = new Set(
          (input.verdict?.findings ?? []).filter((each) => each.upheld).map(({ charge }) => charge),
        );
        const options: ExtractOptions = {
          facts: await factsAbout(given),
          verdict: input.verdict?.verdict ?? null,
          charges: (input.verdict?.charges ?? []).filter(({ id }) => upheld.has(id)).map(({ claim }) => claim),
          workdir: given.workdir,
          provenance: { run: input.run, repository: given.source, created: input.created },
        };
        let usage = FREE;
        const spend = (more: Usage) => {
          usage = added(usage, more);
        };
        const drafts = await draftsOf(input, moments, options, spend, signal);
        const learned = [];
        for (const [at, draft] of drafts.entries()) {
          const { outcome, unit } = await memoryOf(input).learn(draft, (one, nearest) =>
            same(input, at, one, nearest, spend, signal),
          );
          learned.push({ unit, how: outcome });
        }
        return { learned, usage };
      });
    },
  };

  async function draftsOf(
    input: LearnInput,
    moments: ReturnType<typeof momentsOf>,
    options: ExtractOptions,
    spend: (usage: Usage) => void,
    signal: AbortSignal,
  ): Promise<ExperienceDraft[]> {
    if (byRules(input)) return extractByRules(moments, options);
    const asked = await question(
      input,
      'extract',
      extractPrompt(moments, options),
      (value) => ExtractAnswer.parse(value),
      signal,
    );
    spend(asked.usage);
    return asked.answer ? checkedDrafts(asked.answer, options).drafts : extractByRules(moments, options);
  }

  async function same(
    input: LearnInput,
    at: number,
    draft: ExperienceDraft,
    nearest: ExperienceUnit,
    spend: (usage: Usage) => void,
    signal: AbortSignal,
  ): Promise<Judgement> {
    const rules = (): Judgement => ({
      nearest: nearest.id,
      version: nearest.version ?? 1,
      ...sameCauseSameFix(draft, nearest),
    });
    if (byRules(input)) return rules();
    const name = `same-${at}-${nearest.id}-${nearest.version ?? 1}`;
    const asked = await question(input, name, samePrompt(draft, nearest), (value) => SameAnswer.parse(value), signal);
    spend(asked.usage);
    return asked.answer ? judgementOf(asked.answer, nearest) : rules();
  }
}

/** What a trial showed outweighs what anybody reads out of the steps, unless a kept one was taken back later. */
function withTrials(
  shown: readonly Suggestion[],
  verdicts: readonly UnitVerdict[],
  trials: readonly TrialRecord[],
  undone: ReadonlySet<number>,
): UnitVerdict[] {
  return shown.flatMap(({ unit }) => {
    const trial = trials.find((each) => each.unit === unit && each.outcome !== 'neutral');
    if (!trial || (trial.kept && undone.has(trial.turn))) return verdicts.filter((each) => each.unit === unit);
    const why = trial.outcome === 'success' ? 'the failed command came further' : 'the failed command failed as before';
    return [{ unit, verdict: trial.outcome, why: `${why} after its trial in turn ${trial.turn}` }];
  });
}

function added(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    costUsd: a.costUsd + b.costUsd,
  };
}

/** The decisive line stands near an end; what is between is compiling. */
function ends(text: string): string {
  return text.length <= OUTPUT_CHARS ? text : `${text.slice(0, OUTPUT_CHARS / 2)}\n${text.slice(-OUTPUT_CHARS / 2)}`;
}
