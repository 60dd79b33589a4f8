import { openPython } from '@pointsman/python';
import {
  type AttemptRecord,
  type ContextKind,
  type FunctionEnvironment,
  type FunctionInstance,
  type FunctionProblemEnd,
  type FunctionProblemResult,
  type Harness,
  type HarnessAttempt,
  type HarnessFailure,
  type HarnessGates,
  labelOfSource,
  type Ref,
  type SandboxProfile,
} from '../../contract';
import type { Deps } from '../../deps';
import { generateCalls } from '../../environments/harness/author';
import {
  type HarnessBench,
  measureHarness as measure,
  validateHarness as validate,
} from '../../environments/harness/measure';
import { assembleHarness } from '../../problems/equivalence/assemble';
import { admits, reasonsByAuthor } from '../../problems/equivalence/validity';
import { mutantsOf } from '../../problems/mutation';
import { readRefinement } from '../../problems/specification/refine';
import { redocumented, typesSpecification } from '../../problems/specification/types';
import type { Owner } from '../../sandbox/labels';
import { withHeartbeat } from '../heartbeat';
import {
  type AuthoredHarness,
  type HarnessFinding,
  type HarnessReport,
  jsonBlobs,
  type KeptFunction,
  type Recorded,
} from './function-reports';
import { harnessImageOf } from './harness-image';

/** What a harness is tried on, and by which rules. */
export interface Trial {
  readonly owner: Owner;
  readonly environment: FunctionEnvironment;
  readonly prepared: Ref;
  readonly attempt: HarnessAttempt;
  readonly seed: number;
  readonly secondsPerCase: number;
  readonly profile: SandboxProfile;
  readonly gates: HarnessGates;
  /** Times that the author has mended it. */
  readonly repairs: number;
}

export interface ConcludeInput {
  readonly name: string;
  readonly environment: FunctionEnvironment;
  readonly prepared: Ref;
  readonly seed: number;
  /** `HarnessReport` of every attempt, and which of them is the best. */
  readonly reports: readonly Ref[];
  readonly best: Ref;
  /** A model's reply with a docstring, where one was asked. */
  readonly refined: Ref | null;
  readonly cost: { readonly usd: number; readonly tokens: number };
}

/** Seconds that inputs may be looked for. */
const GENERATE_SECONDS = 120;
/** Characters of a reason in a history. */
const REASON = 200;

export function createFunctionProblemActivities(deps: Deps) {
  const blobs = jsonBlobs(deps.blobs);

  async function benchOf(trial: Trial, { subject }: KeptFunction, signal: AbortSignal): Promise<HarnessBench> {
    const { owner, environment, profile, seed, secondsPerCase, attempt } = trial;
    const { image } = await harnessImageOf(deps, owner, environment, subject, signal);
    return { owner, role: attempt.author.replace(/[^a-z0-9-]/g, '-'), image, subject, profile, seed, secondsPerCase };
  }

  async function findingOf(report: HarnessReport): Promise<HarnessFinding> {
    const { valid, quality } = report.record;
    const score = quality ? (quality.mutationScore ?? 1) + quality.branchCoverage : 0;
    const admitted = valid && report.reasons.length === 0;
    return { valid, admitted, score: Math.round(score * 1e6) / 1e6, report: await blobs.keep(report) };
  }

  return {
    /**
     * A harness by an author that needs no model: of recorded calls, or of inputs that hypothesis finds. Retry-safe: containers
     * begin fresh, and the same calls give the same harness.
     */
    async authorHarness(input: Trial & { recorded: Ref | null; cases: number }): Promise<AuthoredHarness> {
      return withHeartbeat(async (signal) => {
        const { attempt, cases, seed } = input;
        const kept = await blobs.read<KeptFunction>(input.prepared);
        const found =
          attempt.author === 'builtin:recorded-calls'
            ? await callsOf(kept, input.recorded)
            : await generateCalls(
                deps,
                await benchOf(input, kept, signal),
                { examples: cases, seed, seconds: GENERATE_SECONDS },
                signal,
              );
        const harness = assembleHarness(found.calls, { ...attempt, limit: cases });
        const written = harness.cases.length > 0 ? await blobs.keep(harness) : null;
        return { harness: written, refusal: written ? '' : found.note, conversation: null, final: true };
      });
    },

    /**
     * Runs a harness on the function itself, again and again (R2E: self-equivalence). Where there is no harness, its report
     * says why. Retry-safe: containers begin fresh. Throws for outages; a finding is never one.
     */
    async validateHarness(input: Trial & Pick<AuthoredHarness, 'harness' | 'refusal'>): Promise<HarnessFinding> {
      return withHeartbeat(async (signal) => {
        const { attempt, repairs, gates } = input;
        const about = { attempt, repairs };
        if (!input.harness) {
          const failure: HarnessFailure = attempt.author.startsWith('builtin:') ? 'no_cases' : 'malformed';
          const troubles = [{ failure, case: null, message: input.refusal, trace: '' }];
          const record = { ...about, valid: false, failures: [failure], quality: null, troubles };
          return findingOf({ record, reasons: [input.refusal], validation: null, measured: null });
        }
        const kept = await blobs.read<KeptFunction>(input.prepared);
        const harness = await blobs.read<Harness>(input.harness);
        const bench = await benchOf(input, kept, signal);
        let validation = await validate(deps, bench, harness, gates.repeats, signal);
        // An author without a model cannot mend a case that fails, so it is left out. What remains is proved anew.
        if (!validation.valid && attempt.author.startsWith('builtin:') && validation.harness.cases.length > 0)
          validation = await validate(deps, bench, validation.harness, gates.repeats, signal);
        const { valid, failures, troubles } = validation;
        const record: AttemptRecord = {
          ...about,
          valid,
          failures: [...failures],
          quality: null,
          troubles: [...troubles],
        };
        const [first] = failures;
        const reasons = valid ? [] : [`no valid harness: ${first ? FAILURES[first] : 'it could not be run'}`];
        return findingOf({ record, reasons, validation, measured: null });
      });
    },

    /**
     * Measures a valid harness: coverage, the mutants that it kills, the function itself as a candidate, and a stub.
     * Retry-safe as above.
     */
    async measureHarness(input: Trial & { validated: Ref; mutants: number }): Promise<HarnessFinding> {
      return withHeartbeat(async (signal) => {
        const kept = await blobs.read<KeptFunction>(input.prepared);
        const { record, validation } = await blobs.read<HarnessReport>(input.validated);
        const text = (await deps.blobs.get(kept.text.sha256)).toString('utf8');
        const python = await openPython();
        const module = python.parse(kept.target.file, text);
        const mutants = mutantsOf(python, module, kept.target, { max: input.mutants, seed: input.seed });
        const measured = await measure(deps, await benchOf(input, kept, signal), validation!, mutants, signal);
        const { quality } = measured;
        const reasons = admits(quality, input.gates);
        return findingOf({ record: { ...record, quality }, reasons, validation, measured });
      });
    },

    /** The function's own result, and its instance where it is a problem. Retry-safe: a pure function into the blob store. */
    async concludeFunction(input: ConcludeInput): Promise<FunctionProblemEnd> {
      const { name, cost, environment } = input;
      const kept = await blobs.read<KeptFunction>(input.prepared);
      const reports = await Promise.all(input.reports.map((ref) => blobs.read<HarnessReport>(ref)));
      const best = await blobs.read<HarnessReport>(input.best);
      const admitted = best.record.valid && best.reasons.length === 0;
      const id = `${labelOf(environment)}__${name}`;
      const { target, outOfFile, dependencies } = kept;
      const tried = reports.map(({ record, reasons }) => ({ attempt: record.attempt, reasons }));
      const result: FunctionProblemResult = {
        id,
        target,
        admitted,
        reasons: admitted ? [] : reasonsByAuthor(tried),
        outOfFile,
        dependencies,
        cost,
        instance: admitted ? await blobs.keep(await instanceOf(id, input, kept, best)) : null,
        attempts: reports.map(({ record }) => record),
      };
      const reason = (best.reasons[0] ?? '').slice(0, REASON);
      return { name, admitted, reason, result: await blobs.keep(result), cost };
    },
  };

  async function callsOf({ target }: KeptFunction, recorded: Ref | null) {
    if (!recorded) return { calls: [], note: 'the repository has no tests to record calls from' };
    const { calls, note } = await blobs.read<Recorded>(recorded);
    const own = calls[`${target.module}.${target.name}`] ?? [];
    return {
      calls: own,
      note: `no call that can be made again was seen while the tests ran${note ? ` (${note})` : ''}`,
    };
  }

  async function instanceOf(
    id: string,
    { environment, refined, seed }: ConcludeInput,
    kept: KeptFunction,
    { validation, measured }: HarnessReport,
  ): Promise<FunctionInstance> {
    const { described, body, signature, subject, slice, dependencies, outOfFile, reference, size, forSolvers } = kept;
    const calls = validation?.calls ?? [];
    const reply = refined ? (await deps.blobs.get(refined.sha256)).toString('utf8') : null;
    const python = await openPython();
    const specification =
      reply === null
        ? typesSpecification(described, calls)
        : readRefinement(python, reply, { described, calls, body }).specification;
    const shown = redocumented(python, signature, specification.refined);
    const { harness, quality } = measured!;
    // How long a case took is the machine's and not the instance's.
    const expected = measured!.expected.map((outcome) => ({ ...outcome, seconds: 0 }));
    return {
      id,
      environment,
      subject,
      slice,
      dependencies,
      outOfFile,
      specification,
      signature: shown,
      reference,
      moduleText: (await deps.blobs.get(kept.text.sha256)).toString('utf8'),
      size,
      contexts: withDocstring(forSolvers, signature, shown),
      seed,
      harness,
      expected,
      quality,
    };
  }
}

/** Contexts in which the function stands with its new docstring. */
function withDocstring(contexts: Readonly<Record<ContextKind, string>>, before: string, after: string) {
  const changed = (text: string) => text.split(before.trimEnd()).join(after.trimEnd());
  return { naive: changed(contexts.naive), full: changed(contexts.full), sliced: changed(contexts.sliced) };
}

/** Failures in words, for the reason why there is no problem. */
const FAILURES: Readonly<Record<HarnessFailure, string>> = {
  value_or_type: 'it fails with a wrong value or type',
  data_format: 'it fails on the format of its data',
  assertion: 'its own assertions fail',
  environment: 'the environment lacks what it needs',
  flaky: 'it is not the same in every run',
  no_cases: 'no case reaches the function and says something of it',
  malformed: 'no cases could be read',
};

/** What instances of an environment are named after: the source, or the image where that is all there is. */
function labelOf({ source, image }: FunctionEnvironment): string {
  return source ? labelOfSource(source) : image.replace(/^.*\//, '').replace(/[^A-Za-z0-9._-]+/g, '-');
}
