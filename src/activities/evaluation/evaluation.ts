import { openPython } from '@pointsman/python';
import {
  CandidateOutcome,
  type CandidateVerdict,
  CaseOutcome,
  type FunctionInstance,
  isPointsmanError,
  type Ref,
  type SandboxProfile,
} from '../../contract';
import type { Deps } from '../../deps';
import { runCandidate } from '../../environments/harness/measure';
import { builtinAnswer } from '../../evaluation/builtin-solver';
import { readCandidate } from '../../problems/candidate';
import type { CandidateJudgement } from '../../problems/equivalence/validity';
import { preview } from '../../rollout/clip';
import type { Owner } from '../../sandbox/labels';
import { withHeartbeat } from '../heartbeat';
import { harnessImageOf } from '../problems/harness-image';
import { type Asking, type CandidatePlace, createSolverAsker } from './answer';
import { type OpenedSet, ProblemSets } from './problems';

interface AnswerInput {
  /** First execution's run id. */
  readonly run: string;
  readonly problemSet: Ref;
  readonly place: CandidatePlace;
  readonly asking: Asking;
  /** Outcomes of the conversation so far, as blobs: empty for a first answer. */
  readonly earlier: readonly string[];
}

/** What a workflow needs to know of an outcome; the whole of it is the blob. */
export interface Settled {
  readonly problem: string;
  readonly verdict: CandidateVerdict;
  readonly passed: boolean;
  readonly preview: string;
  readonly outcome: string;
}

/** What an answer was and cost, for the outcome that it leads to. */
interface Given {
  readonly code: Ref | null;
  readonly reply: Ref | null;
  readonly cost: CandidateOutcome['cost'];
}

/** A candidate that can be run. */
export interface Candidate extends Given {
  readonly problem: string;
  readonly preview: string;
  readonly code: Ref;
}

/** A candidate, or the outcome of an answer that is none, with what it cost. */
export type Answered = Candidate | (Settled & Pick<Given, 'cost'>);

interface About {
  readonly problemSet: Ref;
  readonly place: CandidatePlace;
}

interface JudgeInput extends About {
  readonly owner: Owner;
  readonly candidate: Candidate;
  readonly profile: SandboxProfile;
  readonly secondsPerCase: number;
}

export interface KeepInput extends About {
  readonly verdict: 'unanswered' | 'unjudged';
  readonly detail: string;
  readonly given: Given;
}

const PREVIEW = 300;
/** Characters of an outcome's detail. */
const DETAIL = 8_000;
const FREE = { usd: 0, tokens: 0 };

export function createEvaluationActivities(deps: Deps) {
  const { blobs } = deps;
  const sets = new ProblemSets(blobs, deps.roots);
  const ask = createSolverAsker(deps);

  async function settle(
    problem: FunctionInstance,
    { sample, repair }: CandidatePlace,
    found: Pick<CandidateOutcome, 'verdict' | 'detail'> & Partial<CandidateOutcome>,
  ): Promise<Settled> {
    const { verdict } = found;
    const passed = verdict === 'passed';
    const detail = preview(withoutAddresses(found.detail), DETAIL);
    const outcome: CandidateOutcome = {
      problem: problem.id,
      sample,
      repair,
      passed,
      verdict,
      cases: found.cases ?? { passed: 0, total: problem.harness.cases.length },
      detail,
      code: found.code ?? null,
      reply: found.reply ?? null,
      cost: found.cost ?? FREE,
    };
    const { sha256 } = await blobs.put(JSON.stringify(outcome));
    return { problem: problem.id, verdict, passed, preview: preview(detail, PREVIEW), outcome: sha256 };
  }

  return {
    /** Reads and checks the problems. Retry-safe: all it writes is content-addressed. */
    async openProblemSet(input: { problems: string | Ref; only: readonly string[] }): Promise<OpenedSet> {
      return withHeartbeat(() => sets.open(input.problems, input.only));
    },

    /**
     * One answer of a solver, read as a candidate. Retry-safe: a model's answered call is in the ledger before this returns,
     * and all it writes is content-addressed.
     */
    async answerProblem({ run, problemSet, place, asking, earlier }: AnswerInput): Promise<Answered> {
      return withHeartbeat(async (signal) => {
        const problem = await sets.problem(problemSet, place.at);
        const python = await openPython();
        if (asking.solver.startsWith('builtin:')) {
          const source = builtinAnswer(python, asking.solver, problem, { sample: place.sample, seed: asking.seed });
          if (source !== undefined) return candidateOf(problem, source, null, FREE);
          const detail = `${problem.id} has nothing that a mutant could change`;
          return { ...(await settle(problem, place, { verdict: 'unanswered', detail })), cost: FREE };
        }
        const said = await Promise.all(earlier.map(async (hash) => CandidateOutcome.parse(await json(hash))));
        const given = await ask(run, place, problem, asking, said, signal).catch((error: unknown) => {
          if (isPointsmanError(error) && error.code === 'ContextWindowExceeded') return error;
          throw error;
        });
        if (given instanceof Error)
          return { ...(await settle(problem, place, { verdict: 'too_long', detail: given.message })), cost: FREE };
        const { promptTokens, completionTokens, costUsd } = given.usage;
        const cost = { usd: costUsd, tokens: promptTokens + completionTokens };
        const reply = await blobs.put(given.text);
        const read = readCandidate(python, given.text, problem.subject.target);
        if ('source' in read) return candidateOf(problem, read.source, reply, cost);
        const unreadable = { verdict: 'unreadable', detail: read.unreadable + given.cut, reply, cost } as const;
        return { ...(await settle(problem, place, unreadable)), cost };
      });
    },

    /**
     * Runs the harness on a candidate in a fresh container. Retry-safe: the container is made anew and removed in the end.
     * Throws for outages; an outcome is never one.
     */
    async judgeCandidate({ owner, problemSet, place, candidate, ...how }: JudgeInput): Promise<Settled> {
      return withHeartbeat(async (signal) => {
        const problem = await sets.problem(problemSet, place.at);
        const source = (await blobs.get(candidate.code.sha256)).toString('utf8');
        const role = `candidate-${place.at}-${place.sample}-${place.repair}`;
        const judged = await judgedIn(deps, { owner, role, problem, source, ...how }, signal);
        const { code, reply, cost } = candidate;
        return settle(problem, place, { ...judged, code, reply, cost });
      });
    },

    /** An outcome in place of one that could not be had. */
    async keepOutcome({ problemSet, place, verdict, detail, given }: KeepInput): Promise<Settled> {
      return withHeartbeat(async () =>
        settle(await sets.problem(problemSet, place.at), place, { verdict, detail, ...given }),
      );
    },
  };

  async function candidateOf(
    problem: FunctionInstance,
    source: string,
    reply: Ref | null,
    cost: Given['cost'],
  ): Promise<Candidate> {
    return { problem: problem.id, preview: preview(source, PREVIEW), code: await blobs.put(source), reply, cost };
  }

  async function json(hash: string): Promise<unknown> {
    return JSON.parse((await blobs.get(hash)).toString('utf8'));
  }
}

/** Where an object lay in memory differs from run to run, and tells nobody anything. */
function withoutAddresses(text: string): string {
  return text.replace(/\b0x[0-9a-fA-F]{6,16}\b/g, '0x…');
}

interface Judging {
  readonly owner: Owner;
  /** Names the containers within the run. */
  readonly role: string;
  readonly problem: FunctionInstance;
  /** The candidate, as it was read from an answer. */
  readonly source: string;
  readonly profile: SandboxProfile;
  readonly secondsPerCase: number;
}

/** Runs a problem's harness on a candidate in a fresh container of this host. Throws for outages only. */
async function judgedIn(deps: Deps, judging: Judging, signal: AbortSignal): Promise<CandidateJudgement> {
  const { owner, role, problem, source: candidate, profile, secondsPerCase } = judging;
  const { subject, harness } = problem;
  const { image } = await harnessImageOf(deps, owner, problem.environment, subject, signal);
  const expected = problem.expected.map((each) => CaseOutcome.parse(each));
  const bench = { owner, role, image, subject, profile, seed: problem.seed ?? 0, secondsPerCase };
  return runCandidate(deps, bench, { harness, expected, candidate }, signal);
}
