import { type FunctionSyntax, indexRepository, openPython, type PythonIndex } from '@pointsman/python';
import { Context } from '@temporalio/activity';
import { WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import {
  type ConsideredFunction,
  type FilterTable,
  FunctionEnvironment,
  type FunctionInstance,
  type FunctionProblemEnd,
  type FunctionProblemResult,
  type FunctionProblemsInput,
  type FunctionProblemsResult,
  PointsmanError,
  parseInput,
  type Ref,
  type RejectedFunction,
  type RepoSetupResult,
  type SandboxProfile,
  type Subject,
  type TriedFunction,
} from '../../contract';
import type { Deps } from '../../deps';
import { recordCalls } from '../../environments/harness/author';
import { pytestBundle } from '../../environments/harness/pytest-bundle';
import { readRepository } from '../../environments/harness/repository';
import { ensureHarnessImage, type HarnessImage } from '../../environments/harness/tools-image';
import { needImage } from '../../environments/travel';
import { considerFunctions, resolveFilters } from '../../problems/extraction';
import { type PreparedFunction, prepareFunction } from '../../problems/prepared-function';
import { reportOf } from '../../problems/tables/report';
import { swebenchRow } from '../../problems/tables/swebench-row';
import type { Owner } from '../../sandbox/labels';
import { withHeartbeat } from '../heartbeat';
import { jsonBlobs, type KeptFunction, type Recorded } from './function-reports';
import { harnessImageOf } from './harness-image';

/** A function that is worked on. */
export interface FunctionEntry {
  /** Dotted name. */
  readonly name: string;
  readonly prepared: Ref;
}

/** What was read of a repository: a blob. */
interface ReadFunctions {
  readonly functions: readonly FunctionEntry[];
  readonly subjects: readonly Subject[];
  readonly considered: readonly ConsideredFunction[];
  readonly funnel: FunctionProblemsResult['funnel'];
}

interface Reading {
  readonly owner: Owner;
  readonly environment: FunctionEnvironment;
  readonly filters: FilterTable;
  readonly only: readonly string[];
  readonly maxFunctions: number;
  readonly contextTokens: number;
}

function triedOf({ id, target, admitted, outOfFile, attempts }: FunctionProblemResult): TriedFunction {
  return { id, target, admitted, outOfFile, attempts };
}

/** Seconds that a repository's own tests may run under the recorder. */
const RECORD_SECONDS = 1800;

export function createFunctionProblemsActivities(deps: Deps) {
  const { blobs } = deps;
  const { read: json, keep } = jsonBlobs(blobs);

  return {
    /** The environment of an input: itself, or what a finished set-up left. Asks the server only; a retry asks again. */
    async environmentOf({ environment }: Pick<FunctionProblemsInput, 'environment'>): Promise<FunctionEnvironment> {
      return withHeartbeat(async () =>
        typeof environment === 'string' ? environmentLeftBy(environment) : environment,
      );
    },

    /**
     * Reads the repository out of its image, finds its functions, and keeps each that is worked on with its slice and
     * contexts as a blob. Retry-safe: containers begin fresh, and the same image gives the same blobs.
     */
    async readFunctions(input: Reading): Promise<{ ref: Ref; functions: number }> {
      return withHeartbeat(async (signal) => {
        const { owner, environment, contextTokens } = input;
        const index = await indexOf(owner, environment);
        const { taken, considered, funnel } = considerFunctions(index, resolveFilters(input.filters));
        const chosen = chosenOf(index, taken, input);
        const interpreter = await ensureHarnessImage(
          deps,
          owner,
          { ...environmentQuestion(environment), importRoots: rootsOf(chosen), modules: modulesOf(chosen) },
          signal,
        );
        const functions: FunctionEntry[] = [];
        const subjects: Subject[] = [];
        const texts = new Map<string, Ref>();
        for (const found of chosen) {
          signal.throwIfAborted();
          const { path, syntax } = found.module;
          if (!texts.has(path)) texts.set(path, await blobs.put(syntax.text));
          const prepared = prepareFunction(index, found, contextTokens);
          const subject = subjectOf(prepared, environment, interpreter);
          const kept: KeptFunction = { ...prepared, subject, text: texts.get(path)! };
          functions.push({ name: nameOf(found), prepared: await keep(kept) });
          subjects.push(subject);
        }
        const read: ReadFunctions = { functions, subjects, considered, funnel: [...funnel] };
        return { ref: await keep(read), functions: functions.length };
      });
    },

    /**
     * Runs the repository's own tests once under the recorder. Null where it has none to run. Retry-safe: a container of its
     * own, begun fresh; the same tests give the same calls.
     */
    async recordFunctions(input: {
      owner: Owner;
      environment: FunctionEnvironment;
      repository: Ref;
      calls: number;
      profile: SandboxProfile;
    }): Promise<Ref | null> {
      return withHeartbeat(async (signal) => {
        const { owner, environment, profile } = input;
        const { subjects } = await json<ReadFunctions>(input.repository);
        const [first] = subjects;
        if (!first) return null;
        const { image } = await harnessImageOf(deps, owner, environment, first, signal);
        const testCommand = environment.testCommand ?? `${first.python} -m pytest -q -p no:cacheprovider`;
        const room = { owner, role: 'record', image, profile, python: first.python };
        const request = { subjects, testCommand, callsPerFunction: input.calls, seconds: RECORD_SECONDS };
        const recorded: Recorded = await recordCalls(deps, room, request, signal);
        return keep(recorded);
      });
    },

    /** A page of the functions that are worked on. Reads a blob. */
    async functionsFrom(input: { repository: Ref; from: number; count: number }): Promise<FunctionEntry[]> {
      const { functions } = await json<ReadFunctions>(input.repository);
      return functions.slice(input.from, input.from + input.count);
    },

    /** A page of results as a blob. */
    async keepEnds({ ends }: { ends: readonly FunctionProblemEnd[] }): Promise<Ref> {
      return keep(ends);
    },

    /**
     * Problems, rejected functions, rows and report of a build. Retry-safe: all of it is content-addressed, and sorted, so
     * that the order in which functions were done does not show.
     */
    async writeProblems(input: {
      id: string;
      environment: FunctionEnvironment;
      repository: Ref;
      pages: readonly Ref[];
      cost: { usd: number; tokens: number };
    }): Promise<FunctionProblemsResult> {
      return withHeartbeat(async () => {
        const { id, environment, cost } = input;
        const { considered, funnel } = await json<ReadFunctions>(input.repository);
        const ends = (await Promise.all(input.pages.map((page) => json<FunctionProblemEnd[]>(page)))).flat();
        const results: FunctionProblemResult[] = [];
        const instances: FunctionInstance[] = [];
        for (const { result } of ends) results.push(await json<FunctionProblemResult>(result));
        results.sort((a, b) => (a.id < b.id ? -1 : 1));
        for (const { instance } of results) if (instance) instances.push(await json<FunctionInstance>(instance));
        const rejected: RejectedFunction[] = [
          ...considered.filter(({ rejectedBy }) => rejectedBy !== null),
          ...results
            .filter(({ admitted }) => !admitted)
            .map(({ target, reasons, attempts }) => ({ target, reasons, attempts })),
        ];
        const report = reportOf(results, instances, { funnel, considered });
        const [python, bundle] = [await openPython(), pytestBundle()];
        const rows = instances.map((each) => swebenchRow(python, each, { moduleText: each.moduleText, bundle }));
        return {
          id,
          environment,
          functions: considered.length,
          funnel,
          tried: results.length,
          admitted: instances.length,
          instances: await blobs.put(lines(instances)),
          rejected: await blobs.put(lines(rejected)),
          tries: await blobs.put(lines(results.map(triedOf))),
          rows: await blobs.put(lines(rows)),
          report: await blobs.put(report),
          cost,
        };
      });
    },
  };

  async function indexOf(owner: Owner, { image, workdir }: FunctionEnvironment): Promise<PythonIndex> {
    await needImage(deps, image);
    const spec = { owner, role: 'read', image, workdir, network: 'none' } as const;
    const files = await deps.sandboxes.workshop(spec, (sandbox) => readRepository(sandbox, workdir));
    return indexRepository(await openPython(), files);
  }
}

async function environmentLeftBy(id: string): Promise<FunctionEnvironment> {
  const handle = Context.current().client.workflow.getHandle(id);
  const refuse = (what: string, hint: string) => new PointsmanError('InvalidInput', `environment: ${what}`, hint);
  const described = await handle.describe().catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError)
      throw refuse(`there is no workflow "${id}"`, '`pointsman setup list` shows what was set up.');
    throw error;
  });
  if (described.type !== 'repoSetup')
    throw refuse(`${id} is a ${described.type}, not a repoSetup`, '`pointsman setup list` shows what was set up.');
  if (described.status.name === 'RUNNING')
    throw refuse(`${id} is still running`, `\`pointsman setup watch ${id}\` follows it.`);
  const left = (await handle.result().catch((error: unknown) => {
    if (error instanceof WorkflowFailedError) return undefined;
    throw error;
  })) as RepoSetupResult | undefined;
  if (!left?.image) throw refuse(`${id} left no environment (${left?.status ?? 'it failed'})`, 'Set it up again.');
  const { image, workdir, source, sha256, licence, testCommand } = left;
  return parseInput(
    FunctionEnvironment,
    { image, workdir, source, sha256, licence, ...(testCommand ? { testCommand } : {}) },
    'environment',
  );
}

/** The functions that are worked on: those that were asked for by name, else all that passed the filters. */
function chosenOf(
  index: PythonIndex,
  taken: readonly FunctionSyntax[],
  { only, maxFunctions }: Reading,
): FunctionSyntax[] {
  const sorted = [...taken].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  if (only.length === 0) return sorted.slice(0, maxFunctions);
  const wanted = new Set(only);
  const found = sorted.filter((each) => wanted.delete(nameOf(each)));
  const [missing] = wanted;
  if (missing === undefined) return found;
  const defined = index.modules.some(({ name }) => missing.startsWith(`${name}.`));
  throw new PointsmanError(
    'InvalidInput',
    `only: ${missing}: ${defined ? 'the filters leave it out, or its module has no such function' : 'no module of the repository defines it'}`,
    '`pointsman functions list DIR --rejected` shows all functions and the rule that leaves each out.',
  );
}

const nameOf = ({ module, qualname }: FunctionSyntax) => `${module.name}.${qualname}`;

const rootsOf = (functions: readonly FunctionSyntax[]) =>
  [...new Set(functions.map(({ module }) => module.root))].sort();
const modulesOf = (functions: readonly FunctionSyntax[]) => [...new Set(functions.map(({ module }) => module.name))];

function environmentQuestion({ image, workdir, python }: FunctionEnvironment) {
  return { image, workdir, python };
}

function subjectOf(
  { target }: PreparedFunction,
  { workdir }: FunctionEnvironment,
  { python, importRoots }: HarnessImage,
): Subject {
  return { target, workdir, importRoots: [...importRoots], python };
}

function lines(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
