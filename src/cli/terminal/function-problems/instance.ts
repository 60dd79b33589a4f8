import type {
  FunctionInstance,
  FunctionTarget,
  HarnessQuality,
  RejectedFunction,
  Slice,
  Specification,
} from '../../../contract';
import { count } from '../../../pages/figures';
import type { Look } from '../../../pages/shown-run';
import { heading, shortened, wrapHard, wrapWords } from '../columns';
import { fold } from '../fold';
import { ink } from '../ink';
import { safeLine, safeLines } from '../safe-text';
import { share } from './share';

const CODE = { head: 40, tail: 10 };
const NAMES = 12;

/** One problem: what a solver is told, what it is judged by, and how good that is. The reference is not among it. */
export function instanceText(instance: FunctionInstance, look: Look): string {
  const { id, environment, subject, slice, specification, signature, harness, quality, size } = instance;
  const { target } = subject;
  const paint = ink(look.coloured);
  return [
    paint.strong(safeLine(id)),
    ...wrapWords(
      [
        safeLine(`${target.kind} ${dotted(target)}, ${target.file}:${target.lines[0]}–${target.lines[1]}`),
        safeLine(`of ${environment.source ?? environment.image}, ${environment.licence ?? 'licence unknown'}`),
        `${count(size.lines, 'line')} of code, ${count(size.tokens, 'token')}; ${dependencies(instance)}`,
      ],
      look.width,
    ),
    '',
    ...specificationLines(specification, look),
    heading('what a solver is given', look),
    ...code(signature, look),
    '',
    heading(`harness · ${harness.author}, ${harness.mode}, ${harness.context} context`, look),
    ...code(harness.source, look),
    '',
    ...qualityLines(quality, look),
    ...sliceLines(slice, look),
    paint.dim('Alone: `--harness`, `--reference`, `--context sliced` (`full`, `naive`).'),
  ].join('\n');
}

function dependencies({ dependencies: needs, outOfFile }: FunctionInstance): string {
  if (needs === 0) return 'depends on nothing else of the repository';
  const where = outOfFile ? ', some in other files' : ', all in its own file';
  return `depends on ${count(needs, 'definition')}${where}`;
}

function specificationLines(
  { original, refined, by, argumentTypes, returnTypes }: Specification,
  look: Look,
): string[] {
  const types = Object.entries(argumentTypes).map(([name, seen]) => `${name}: ${seen.join(' | ')}`);
  const source = by === 'model' ? 'rewritten by a model' : 'types and examples appended';
  return [
    heading('docstring of the repository', look),
    ...prose(original, look),
    '',
    ...(refined.trim() === original.trim()
      ? ['The problem states it as it is.', '']
      : [heading(`docstring of the problem · ${source}`, look), ...prose(refined, look), '']),
    ...(types.length > 0 || returnTypes.length > 0
      ? [...wrapWords([safeLine(`seen: ${types.join(', ')} → ${returnTypes.join(' | ') || '?'}`)], look.width), '']
      : []),
  ];
}

function qualityLines(quality: HarnessQuality, look: Look): string[] {
  const { cases, repeats, flaky, branchCoverage, lineCoverage, missedLines, mutants, mutationScore } = quality;
  const paint = ink(look.coloured);
  const alive = mutants.filter(({ killedBy }) => killedBy === null);
  const shown = look.full ? alive : alive.slice(0, NAMES);
  const killed =
    mutationScore === null
      ? 'nothing in it that could be mutated'
      : `${mutants.length - alive.length} of ${count(mutants.length, 'mutant')} killed (${share(mutationScore)})`;
  const missed = missedLines.length > 0 ? `, missed lines ${missedLines.join(', ')}` : '';
  return [
    heading('quality', look),
    ...wrapWords(
      [
        `${count(cases, 'case')}, the same in ${count(repeats, 'run')}${flaky.length > 0 ? `; taken out as flaky: ${flaky.join(', ')}` : ''}`,
        `${share(branchCoverage)} of branches, ${share(lineCoverage)} of lines${missed}`,
        killed,
        `the reference passes ${share(quality.oracle)} of the cases, a body that raises ${share(quality.stub)}`,
      ],
      look.width,
    ),
    ...shown.flatMap(({ line, operator, before, after }) =>
      wrapWords([safeLine(`  survives: line ${line}, ${operator}: ${before} → ${after}`)], look.width).map(
        paint.notice,
      ),
    ),
    ...(alive.length > shown.length ? [paint.dim(`  … ${alive.length - shown.length} more (--full)`)] : []),
    '',
  ];
}

function sliceLines({ items, unresolved }: Slice, look: Look): string[] {
  // The last one is the function itself.
  const needs = items.slice(0, -1);
  if (needs.length === 0) return [];
  const shown = look.full ? needs : needs.slice(0, NAMES);
  const paint = ink(look.coloured);
  return [
    heading(`depends on ${count(needs.length, 'definition')}`, look),
    ...shown.flatMap(({ kind, module, name, file, lines, outOfFile }) =>
      wrapWords(
        [safeLine(`  ${kind} ${module}.${name}${outOfFile ? `, ${file}:${lines[0]}` : `, line ${lines[0]}`}`)],
        look.width,
      ),
    ),
    ...(needs.length > shown.length ? [paint.dim(`  … ${needs.length - shown.length} more (--full)`)] : []),
    ...(unresolved.length > 0
      ? [paint.notice(`  ${count(unresolved.length, 'look-up')} that reading the source cannot follow`)]
      : []),
    '',
  ];
}

/** Source as it stands, folded in the middle. Without a margin, so that it can be copied. */
function code(text: string, look: Look): string[] {
  const lines = safeLines(text.trimEnd());
  const { head, tail, hidden } = look.full ? { head: lines, tail: [], hidden: 0 } : fold(lines, CODE);
  return [
    ...wrapHard(head, look.width),
    ...(hidden > 0 ? [ink(look.coloured).dim(`… ${hidden} more lines (--full shows them) …`)] : []),
    ...wrapHard(tail, look.width),
  ];
}

/** A docstring as `inspect.cleandoc` gives it: the indentation that its lines have in common is the source's. */
function prose(docstring: string, look: Look): string[] {
  const [first = '', ...rest] = docstring.trim().split('\n');
  const margin = Math.min(...rest.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)![0].length));
  return code([first, ...rest.map((line) => line.slice(margin))].join('\n'), look);
}

/** Functions that were worked on and are no problem, each with its reasons; those that a rule left out are the funnel's. */
export function rejectedLines(rejected: readonly RejectedFunction[], width: number): string[] {
  return rejected.flatMap((each) => {
    if (!('reasons' in each)) return [];
    const reasons = each.reasons.map((reason) => `  ${safeLine(reason)}`);
    return [shortened(safeLine(dotted(each.target)), width), ...wrapWords(reasons, width)];
  });
}

export function dotted({ module, name }: FunctionTarget): string {
  return `${module}.${name}`;
}
