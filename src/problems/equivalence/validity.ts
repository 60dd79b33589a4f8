import type {
  CandidateOutcome,
  CaseOutcome,
  Harness,
  HarnessAttempt,
  HarnessFailure,
  HarnessGates,
  HarnessQuality,
  HarnessTrouble,
  ValueTree,
} from '../../contract';
import { compareOutcomes, type OutcomeDifference } from './compare';
import type { HarnessRun } from './run';
import { valueText } from './value-text';

/** What is left of a harness after it ran on the reference, again and again. */
export interface Validity {
  /** Self-equivalent and repeatable, with at least one case that counts and no trouble in any other. */
  readonly valid: boolean;
  /** With the cases that count alone: they reach the function, say something, and are the same each time. */
  readonly harness: Harness;
  /** What the reference came to in each of them. */
  readonly expected: readonly CaseOutcome[];
  readonly flaky: readonly string[];
  readonly failures: readonly HarnessFailure[];
  readonly troubles: readonly HarnessTrouble[];
}

/**
 * Judges a harness by runs on the function itself (R2E §3.4, self-equivalence, made stricter): the first says what is
 * expected, the others must say the same. A case that never reaches the function, or whose outcome would be the same
 * whatever it did, is no test.
 */
export function validityOf(harness: Harness, first: HarnessRun, repeats: readonly HarnessRun[]): Validity {
  const troubles = troublesOf(first);
  const counting = first.unusable ? [] : first.outcomes.filter((outcome) => counts(harness, outcome));
  const again = repeats.map((run) => new Map(run.outcomes.map((outcome) => [outcome.case, outcome])));
  const flaky = counting.filter((outcome) => again.some((run) => !isSame(outcome, run.get(outcome.case))));
  const expected = counting.filter((outcome) => !flaky.includes(outcome));
  const all = [...troubles, ...flaky.map((outcome) => flakyTrouble(outcome, again))];
  if (expected.length === 0 && troubles.length === 0) {
    const why =
      flaky.length > 0 ? 'no case that is the same each time' : 'no case reaches the function and says something of it';
    all.push({ failure: flaky.length > 0 ? 'flaky' : 'no_cases', case: null, message: why, trace: '' });
  }
  return {
    valid: expected.length > 0 && troubles.length === 0,
    harness: { ...harness, cases: expected.map((outcome) => outcome.case) },
    expected,
    flaky: flaky.map((outcome) => outcome.case),
    failures: [...new Set(all.map(({ failure }) => failure))],
    troubles: all,
  };
}

/** A prediction says itself what is right, by assertions: that it returned is what it says. */
function counts({ mode }: Harness, outcome: CaseOutcome): boolean {
  if (outcome.status !== 'returned' || outcome.calls === 0) return false;
  return mode === 'prediction' || isInformativeOutcome(outcome);
}

function flakyTrouble(outcome: CaseOutcome, again: readonly ReadonlyMap<string, CaseOutcome>[]): HarnessTrouble {
  const other = again.map((run) => run.get(outcome.case)).find((each) => !isSame(outcome, each));
  const found = other && difference(outcome, other);
  const message =
    found && !found.equal
      ? `at ${found.path || 'its value'}: first ${found.expected}, then ${found.actual}`
      : 'it was not run each time';
  return { failure: 'flaky', case: outcome.case, message, trace: other?.raised?.trace ?? '' };
}

export function isSame(expected: CaseOutcome, actual: CaseOutcome | undefined): boolean {
  return actual !== undefined && difference(expected, actual).equal;
}

/** What is judged can write any data into an outcome: data that cannot be compared equals nothing. */
function difference(expected: CaseOutcome, actual: CaseOutcome): OutcomeDifference {
  try {
    return compareOutcomes(expected, actual);
  } catch {
    return { equal: false, path: 'value', expected: 'a value', actual: 'data that is no value', failure: 'type' };
  }
}

/** Cases of a run that came out as expected. A faulty run has none. */
export function passedIn(expected: readonly CaseOutcome[], run: HarnessRun): string[] {
  if (run.unusable || run.fault !== null) return [];
  const outcomes = new Map(run.outcomes.map((outcome) => [outcome.case, outcome]));
  return expected.filter((each) => isSame(each, outcomes.get(each.case))).map((each) => each.case);
}

export type CandidateJudgement = Pick<CandidateOutcome, 'passed' | 'verdict' | 'cases' | 'detail'>;

/** A candidate passes when a whole run gave what was expected in every case, and there is at least one. */
export function judgeCandidate(
  harness: Harness,
  expected: readonly CaseOutcome[],
  run: HarnessRun,
): CandidateJudgement {
  const passed = passedIn(expected, run).length;
  const cases = { passed, total: expected.length };
  if (expected.length > 0 && passed === expected.length) return { passed: true, verdict: 'passed', cases, detail: '' };
  if (run.unusable) {
    const { type, message, trace } = run.unusable;
    return {
      passed: false,
      verdict: type === '' ? 'crashed' : 'raised',
      cases,
      detail: `${type}: ${message}\n${trace}`.trim(),
    };
  }
  const outcomes = new Map(run.outcomes.map((outcome) => [outcome.case, outcome]));
  const first = expected.find((each) => !isSame(each, outcomes.get(each.case)));
  const actual = first && outcomes.get(first.case);
  if (!first || !actual) return { passed: false, verdict: 'crashed', cases, detail: run.fault ?? 'no case was run' };
  return { passed: false, cases, ...differenceIn(harness, first, actual, run) };
}

function differenceIn(harness: Harness, expected: CaseOutcome, actual: CaseOutcome, run: HarnessRun) {
  const verdict = raisedInside(actual) && !raisedInside(expected) ? 'raised' : VERDICTS[actual.status];
  const found = difference(expected, actual);
  const lines = [
    `${expected.case}:`,
    caseSource(harness.source, expected.case),
    ...(expected.value ? [`Expected: ${valueText(expected.value)}`] : []),
    ...(actual.value ? [`Got: ${safely(() => valueText(actual.value!))}`] : []),
    ...(found.equal
      ? []
      : [`Differs at ${found.path || 'the value'}: expected ${found.expected}, got ${found.actual}`]),
    ...(actual.raised ? [actual.raised.trace || `${actual.raised.type}: ${actual.raised.message}`] : []),
    ...(actual.status === 'timeout' ? ['It did not end in its time.'] : []),
    ...(actual.status === 'crashed' || actual.status === 'missing'
      ? [run.fault ?? 'Its process ended without an answer.']
      : []),
  ];
  return { verdict, detail: lines.join('\n').slice(0, 8000) };
}

/** A candidate's data may be no value at all. */
function safely(write: () => string): string {
  try {
    return write();
  } catch {
    return 'data that is no value';
  }
}

/** What `call` of the cases' own module kept: the function raised, and the case went on. */
function raisedInside({ value }: CaseOutcome): boolean {
  return value?.t === 'object' && value.type === 'call' && value.state.some(([name]) => name === 'raised');
}

const VERDICTS = {
  returned: 'different',
  raised: 'raised',
  timeout: 'timeout',
  crashed: 'crashed',
  missing: 'crashed',
} as const;

/** A case as the harness has it: what stands from its `def` to the next line at the margin. */
function caseSource(source: string, name: string): string {
  const lines = source.split('\n');
  const from = lines.findIndex((line) => line.startsWith(`def ${name}(`));
  if (from < 0) return '';
  const after = lines.slice(from + 1).findIndex((line) => /^\S/.test(line));
  return lines
    .slice(from, after < 0 ? undefined : from + 1 + after)
    .join('\n')
    .trimEnd();
}

/** Why a harness is not admitted; empty for one that is. */
export function admits(quality: HarnessQuality, gates: HarnessGates): string[] {
  const { cases, repeats, oracle, stub, branchCoverage, mutationScore } = quality;
  const percent = (share: number) => `${Math.floor(share * 1000) / 10} %`;
  const below = (what: string, value: number, gate: number) =>
    value < gate ? [`${what} is ${percent(value)}, and ${percent(gate)} are asked for`] : [];
  return [
    ...(cases < gates.minCases ? [`${cases} cases count, and ${gates.minCases} are asked for`] : []),
    ...(repeats < gates.repeats ? [`it was repeated ${repeats} times, and ${gates.repeats} are asked for`] : []),
    ...(oracle < 1 ? [`the function itself passes only ${percent(oracle)} of the cases as a candidate`] : []),
    ...(stub > 0 ? [`a function that only raises passes ${percent(stub)} of the cases`] : []),
    ...below('the branch coverage', branchCoverage, gates.branchCoverage),
    ...(mutationScore === null ? [] : below('the share of killed mutants', mutationScore, gates.mutationScore)),
  ];
}

/**
 * Whether a value says anything that a wrong function would get wrong: None and values that cannot be looked at say nothing, nor do
 * containers of nothing else. An empty container does: another could have held something.
 */
export function isInformative(tree: ValueTree): boolean {
  switch (tree.t) {
    case 'none':
    case 'opaque':
    case 'ref':
      return false;
    case 'list':
    case 'tuple':
    case 'set':
    case 'frozenset':
    case 'deque':
      return tree.v.length === 0 || tree.v.some(isInformative);
    case 'iterator':
      return tree.v.length === 0 || tree.raised !== undefined || tree.v.some(isInformative);
    case 'dict':
      return tree.v.length === 0 || tree.v.some(([key, value]) => isInformative(key) || isInformative(value));
    case 'object':
      // Of a call its parts speak; of any other object its type does already.
      return tree.type !== 'call' || tree.state.some(([, value]) => isInformative(value));
    case 'bool':
    case 'int':
    case 'float':
    case 'complex':
    case 'str':
    case 'bytes':
    case 'scalar':
    case 'array':
    case 'frame':
    case 'exception':
    case 'name':
      return true;
    default:
      return tree satisfies never;
  }
}

/** Whether a case came to anything that a candidate can be compared with. */
export function isInformativeOutcome({ status, value, files }: CaseOutcome): boolean {
  if (status === 'raised' || Object.keys(files).length > 0) return true;
  return status === 'returned' && value !== undefined && isInformative(value);
}

/**
 * R2E's classes of failure (§4, Table 1), by the last part of an exception's name. What is not listed is a value or type
 * error: the paper's largest class, wrong inputs built for the function.
 */
const CLASSES: readonly { readonly names: RegExp; readonly failure: HarnessFailure }[] = [
  { names: /^(SyntaxError|IndentationError|TabError)$/, failure: 'malformed' },
  { names: /^AssertionError$|Assertion/, failure: 'assertion' },
  {
    names:
      /^(ImportError|ModuleNotFoundError|OSError|IOError|MemoryError|RuntimeError|SystemError|SystemExit|EOFError)$/,
    failure: 'environment',
  },
  {
    names: /(File|Permission|Connection|Timeout|Process|Socket|Network|Directory|Pipe)\w{0,100}Error$/,
    failure: 'environment',
  },
  { names: /^(KeyError|IndexError|LookupError|Error|BadZipFile)$/, failure: 'data_format' },
  {
    names: /(Decode|Encode|Parse|Parser|Parsing|Format|Schema|Validation)\w{0,100}(Error|Exception)$/,
    failure: 'data_format',
  },
];

export function classOfException(type: string): HarnessFailure {
  const name = type.split('.').at(-1)!;
  return CLASSES.find(({ names }) => names.test(name))?.failure ?? 'value_or_type';
}

/** What is wrong with a run on the reference itself. Empty for one that can be built on. */
function troublesOf(run: HarnessRun): HarnessTrouble[] {
  if (run.unusable) {
    const { stage, type, message, trace } = run.unusable;
    const failure = stage === 'subject' ? 'environment' : classOfException(type);
    return [{ failure, case: null, message: `the ${stage} cannot be imported: ${type}: ${message}`, trace }];
  }
  const troubles = run.outcomes.flatMap((outcome) => troubleOf(outcome) ?? []);
  if (run.fault === null || troubles.length > 0) return troubles;
  return [{ failure: 'environment', case: null, message: run.fault, trace: run.printed.slice(-2000) }];
}

function troubleOf({ case: name, status, raised }: CaseOutcome): HarnessTrouble | undefined {
  switch (status) {
    case 'returned':
      return undefined;
    case 'raised': {
      const { type = '', message = '', trace = '' } = raised ?? {};
      return { failure: classOfException(type), case: name, message: `${type}: ${message}`, trace };
    }
    case 'timeout':
      return { failure: 'environment', case: name, message: 'it did not end in its time', trace: '' };
    case 'crashed':
      return { failure: 'environment', case: name, message: 'its process ended without an answer', trace: '' };
    case 'missing':
      return { failure: 'environment', case: name, message: 'it was never run', trace: '' };
    default:
      return status satisfies never;
  }
}

interface Tried {
  readonly attempt: HarnessAttempt;
  /** Why its harness is not admitted. */
  readonly reasons: readonly string[];
}

/** Why no harness of a function was admitted: where several were tried, each reason with whose harness it is about. */
export function reasonsByAuthor(tried: readonly Tried[]): string[] {
  if (tried.length < 2) return tried.flatMap(({ reasons }) => reasons);
  const authors = new Map<string, string[]>();
  for (const { attempt, reasons } of tried)
    for (const reason of reasons) authors.set(reason, [...(authors.get(reason) ?? []), attemptLabel(attempt)]);
  return [...authors].map(([reason, who]) => `${[...new Set(who)].join(' and ')}: ${reason}`);
}

/** `mine (full, prediction)`. What a built-in author is not shown is not said. */
function attemptLabel({ author, context, mode }: HarnessAttempt): string {
  const told = author.startsWith('builtin:') ? [] : [context, ...(mode === 'prediction' ? [mode] : [])];
  return told.length === 0 ? author : `${author} (${told.join(', ')})`;
}
