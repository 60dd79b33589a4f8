import type {
  GuestFacts,
  Lease,
  Ref,
  RepositoryFacts,
  SetupVerdictResult,
  Situation,
  Suggestion,
  TrialRecord,
  UnitVerdict,
  Usage,
} from '../../contract';
import type { Deps } from '../../deps';
import { parseExports } from '../../sandbox/shell-state';
import { AUDITED_STEPS, type ExtractOptions, renderAtoms, withTrials } from '../../setup/experience';
import type { Given } from '../../setup/given';
import { momentsOf } from '../../setup/loop/seen';
import { worldLesson } from '../../setup/playbook/world-lesson';
import { factsOf, toRepositoryFacts } from '../../setup/repository/facts-of';
import { atProjectRoot } from '../../setup/repository/project-root';
import type { Survey } from '../../setup/repository/survey';
import { shipExperience } from '../../store/experience';
import { withHeartbeat } from '../heartbeat';
import { createReader } from './chain';
import { createLibrarian, FREE, type Librarian } from './librarian';

/** A librarian with the memory that it works in. */
interface InMemory extends Librarian {
  /** A memory apart; without it the worker's own. */
  readonly memory?: string;
  /** False for a run without the units of the package: a memory apart begins with nothing, and in another they are not found. */
  readonly shipped?: boolean;
}

export interface SuggestInput extends InMemory {
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

export interface AuditInput extends InMemory {
  readonly anchor: RetrievalAnchor;
  readonly head: string;
  /** Trials since the retrieval: the command that had failed was run again after each. */
  readonly trials: readonly TrialRecord[];
}

interface LearnInput extends InMemory {
  readonly given: Ref;
  readonly head: string;
  readonly verdict: SetupVerdictResult | null;
  /** Absent from what older code has asked. */
  readonly trials?: readonly TrialRecord[];
  readonly created: string;
}

export function createSetupMemoryActivities(deps: Deps) {
  const { blobs, sandboxes } = deps;
  const librarian = createLibrarian(deps);
  const reader = createReader(deps);

  const memoryOf = ({ memory }: InMemory) => (memory === undefined ? deps.experience : deps.experience.apart(memory));

  async function factsAbout(given: Given): Promise<RepositoryFacts> {
    const survey = await reader.json<Survey>(given.survey);
    const { survey: own } = atProjectRoot({ workdir: given.workdir, survey });
    return toRepositoryFacts(factsOf(own), 'debian');
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
          error: await reader.told(input.output),
          command: await reader.text(input.command),
          summary: `Setting up a ${facts.lang} project in ${given.workdir}; turn ${input.turn}.`,
        };
        const experience = memoryOf(input);
        const { shipped = true, exclude } = input;
        if (shipped) await shipExperience(experience);
        const ranked = await experience.find(situation, facts, { exclude, shipped, limit: 10 });
        const nothing = { preview: 'no unit applies', suggestions: null, units: [], anchor: null };
        if (ranked.length === 0) return { ...nothing, usage: FREE };
        const guest = await guestFacts(sandboxes, input.lease);
        const offered = ranked.map((each) => ({ ...each, commands: renderAtoms(each.atoms, guest).commands }));
        const { answer: chosen, usage } = await librarian.rerank(input, offered, situation, signal);
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
        const after = momentsOf(await reader.actions(input.head), input.trials).filter(
          ({ turn }) => turn > anchor.turn,
        );
        const about = {
          units: shown,
          error: await reader.told(anchor.output),
          command: await reader.text(anchor.command),
        };
        const moments = after.slice(0, AUDITED_STEPS);
        if (moments.length === 0) return { verdicts: [], usage: FREE };
        const { answer: verdicts, usage } = await librarian.audit(input, anchor.id, about, moments, signal);
        // A trial later than the window may have been taken back, too.
        const undone = new Set(after.filter((each) => each.undone).map(({ turn }) => turn));
        const booked = withTrials(verdicts, { shown: shown.map(({ unit }) => unit), trials: input.trials, undone });
        await memoryOf(input).audit({ run: input.run, anchor: anchor.id, verdicts: booked });
        return { verdicts: booked, usage };
      });
    },

    /**
     * Units out of a finished run, each inserted, merged into its neighbour or found known. Retry-safe: a draft is learned
     * once per run and content; nothing is locked while a model judges.
     */
    async learnUnits(input: LearnInput): Promise<{
      learned: { unit: string; how: 'inserted' | 'merged' | 'duplicate' }[];
      /** Why drafts of a model are no units; absent from what older code has answered. */
      refused?: string[];
      usage: Usage;
    }> {
      return withHeartbeat(async (signal) => {
        const given = await reader.json<Given>(input.given);
        const actions = await reader.actions(input.head);
        const moments = momentsOf(actions, input.trials ?? []);
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
        const { answer, ...read } = await librarian.extract(input, moments, options, signal);
        let { usage } = read;
        const learned = [];
        const ofWorld = worldLesson(actions, options);
        for (const [at, draft] of [...answer.drafts, ...(ofWorld ? [ofWorld] : [])].entries()) {
          const { outcome, unit } = await memoryOf(input).learn(draft, async (one, nearest) => {
            const same = await librarian.same(input, at, one, nearest, signal);
            usage = added(usage, same.usage);
            return same.answer;
          });
          learned.push({ unit, how: outcome });
        }
        return { learned, refused: answer.refused, usage };
      });
    },
  };
}

function added(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    costUsd: a.costUsd + b.costUsd,
  };
}

const TOOLS = 'python3 python apt-get apk dnf npm yarn pnpm conda';

/** What commands of experience are rendered for: the tools of a container, and what its shell has set. Reads only. */
async function guestFacts(sandboxes: Deps['sandboxes'], lease: Lease): Promise<GuestFacts> {
  const sandbox = sandboxes.at(lease.container);
  const state = await sandbox.journal((journal) => journal.state());
  const env = parseExports(state.env);
  const { stdout } = await sandbox.exec({
    command: `for tool in ${TOOLS}; do printf "%s\\t%s\\n" "$tool" "$(command -v "$tool")"; done`,
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
