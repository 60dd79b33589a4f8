import type { HarnessGates, HarnessQuality, HarnessTrouble, Lines, MutantFate } from '../../contract';

/** Cases whose failures are shown, lines and characters of one trace, and mutants that are shown. */
const SHOWN = { cases: 8, traceLines: 14, traceCharacters: 1500, mutants: 8 };

export interface HarnessEvidence {
  readonly troubles: readonly HarnessTrouble[];
  /** Null where the harness was never fit to be measured. */
  readonly quality: HarnessQuality | null;
  readonly gates: HarnessGates;
  /** The file that holds the function, and the function's lines in it. */
  readonly text: string;
  readonly lines: Lines;
}

/**
 * What an author is told after its cases ran: failures by case, lines that no case reached, and changes to the function
 * that no case noticed. Empty where there is nothing to mend. Bounded, whatever went wrong.
 */
export function repairFeedback(evidence: HarnessEvidence): string {
  const { troubles, quality, gates } = evidence;
  const low = quality !== null && quality.branchCoverage < gates.branchCoverage;
  const weak = quality?.mutationScore != null && quality.mutationScore < gates.mutationScore;
  const parts = [
    failures(troubles),
    flaky(quality),
    low ? unreached(evidence, quality) : '',
    weak ? survivors(quality) : '',
    quality !== null && quality.cases < gates.minCases
      ? `Only ${quality.cases} of the cases count, and ${gates.minCases} are needed: a case counts when it reaches the function and gives something back.`
      : '',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function failures(troubles: readonly HarnessTrouble[]): string {
  if (troubles.length === 0) return '';
  const shown = troubles.slice(0, SHOWN.cases).map(({ case: name, message, trace }) => {
    const head = `- ${name ?? 'all cases'}: ${bounded(message)}`;
    return trace.trim() === '' ? head : `${head}\n${fenced(bounded(trace), '')}`;
  });
  const more = troubles.length - shown.length;
  return [
    'These failed on the very function that they are about, so the fault is theirs:',
    ...shown,
    ...(more > 0 ? [`- and ${more} more`] : []),
  ].join('\n');
}

function flaky(quality: HarnessQuality | null): string {
  if (!quality || quality.flaky.length === 0) return '';
  return `These gave something else when they were run again, with nothing changed: ${quality.flaky.join(', ')}. Something in them depends on time, order, chance or memory addresses.`;
}

/** The function's source with a mark before each line that no case reached. */
function unreached({ text, lines: [first, last] }: HarnessEvidence, quality: HarnessQuality): string {
  const missed = new Set(quality.missedLines);
  const source = text
    .split(/\r?\n/)
    .slice(first - 1, last)
    .map((line, at) => `${missed.has(first + at) ? '>>> ' : '    '}${line}`.trimEnd());
  const reached = `The cases take ${percent(quality.branchCoverage)} of the function's branches`;
  const marked =
    missed.size > 0
      ? 'Lines marked with `>>>` are not reached by any case:'
      : 'Every line is reached, but some conditions only ever go one way:';
  return `${reached}. ${marked}\n${fenced(source.join('\n'), 'text')}`;
}

/** Changes that no case told from the function, one a line of it first, so that the spread is shown. */
function survivors({ mutants, mutationScore }: HarnessQuality): string {
  const lived = mutants.filter(({ killedBy }) => killedBy === null);
  const lines = new Set<number>();
  const fresh = lived.filter(({ line }) => !lines.has(line) && lines.add(line));
  const shown = [...fresh, ...lived.filter((each) => !fresh.includes(each))].slice(0, SHOWN.mutants);
  const more = lived.length - shown.length;
  return [
    `The function was changed in one place at a time, and the cases noticed ${percent(mutationScore ?? 0)} of the changes. They did not notice these; choose inputs for which it matters:`,
    fenced(shown.map(asDiff).join('\n'), 'diff'),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('\n');
}

function asDiff({ line, before, after }: MutantFate): string {
  const signed = (text: string, sign: string) => text.split('\n').map((each) => `${sign}${each}`);
  return [`@@ line ${line} @@`, ...signed(before, '-'), ...(after === '' ? [] : signed(after, '+'))].join('\n');
}

/** The end of what was said: that is where an error is. */
function bounded(text: string): string {
  const lines = text.trim().split(/\r?\n/);
  const kept = lines.slice(-SHOWN.traceLines).join('\n').slice(-SHOWN.traceCharacters);
  return lines.length > SHOWN.traceLines ? `…\n${kept}` : kept;
}

/** With a fence that nothing inside can close. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
