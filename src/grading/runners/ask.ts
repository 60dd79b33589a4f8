import { quote } from '../../rollout/shell';
import { REPORTERS } from '../reporters';
import type { LateWords, ReporterName } from '../reporters/reporter';
import type { SimpleCommand } from './command-line';
import type { Followed, Run } from './follow';

export interface ReportedCommand {
  /** The command line to run, its variables exported in front. */
  readonly command: string;
  /** Which runner writes which report; those that nothing could be asked of print what is read. */
  readonly reports: readonly AskedReport[];
  /** Files that hold what the command does not print because it pipes or redirects it: to be read as standard output too. */
  readonly printed: readonly string[];
}

interface AskedReport {
  readonly reporter: ReporterName;
  readonly path: string;
  /**
   * Words that the runner is given in its own process, by a program at `path` with `.cjs` behind it that reads them from
   * `.json`. There is then a report for each process, its number behind `path` and a dash.
   */
  readonly late?: LateWords;
}

/**
 * The command with its runners asked for their own reports. A runner that the command starts itself is asked by words
 * there, each in a file of its own (`file`, `file.1`, …), so that nothing reaches programs that tests start. One behind
 * scripts is asked by variables; several of one kind there share a file, in which the last report stays, unless they are
 * programs of Node.js, which are asked in their processes.
 */
export function reported(command: string, { runs, hosts }: Followed, file: string): ReportedCommand {
  const variables = new Map<string, string>();
  const reports: AskedReport[] = [];
  const printed: string[] = [];
  const edits: Edit[] = [];
  for (const host of hosts) {
    const path = `${file}.printed${printed.length}`;
    const kept = keptOutput(command, host, path);
    if (kept.length > 0) printed.push(path);
    edits.push(...kept);
  }
  for (const { reporter, words, place } of runs) {
    const shared = place === undefined ? reports.find((each) => each.reporter === reporter) : undefined;
    if (shared) continue;
    const path = reports.length === 0 ? file : `${file}.${reports.length}`;
    const asked = REPORTERS[reporter].asks(path, words);
    const late = place === undefined ? asked.late : undefined;
    reports.push(late ? { reporter, path, late } : { reporter, path });
    if (place !== undefined && asked.words.length > 0) {
      const text = asked.words.map(quote).join(' ');
      const next = place.words[asked.at];
      edits.push(next ? { at: next.start, text: `${text} ` } : { at: place.words.at(-1)!.end, text: ` ${text}` });
    } else {
      const node = late ? { NODE_OPTIONS: `--require=${path}.cjs` } : {};
      for (const [name, value] of Object.entries({ ...asked.variables, ...node })) {
        // Runners of one language may share a variable.
        const known = variables.get(name);
        variables.set(name, known === undefined ? value : `${known} ${value}`);
      }
    }
  }
  const exports = [...variables].map(([name, value]) => {
    const between = name === 'TOX_OVERRIDE' ? ';' : ' ';
    return `export ${name}="\${${name}:+$${name}${between}}"${quote(value)}\n`;
  });
  return { command: `${exports.join('')}${edited(command, edits)}`, reports, printed };
}

interface Edit {
  readonly at: number;
  readonly text: string;
  /** Characters that it takes the place of. */
  readonly instead?: number;
}

/** Of edits at the same place the first stays furthest behind. */
function edited(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.at - a.at)
    .reduce((whole, { at, text: put, instead = 0 }) => whole.slice(0, at) + put + whole.slice(at + instead), text);
}

/** A command that `{` cannot stand before. */
const KEYWORD = /^(if|then|elif|else|while|until|do|!|\{|time|exec)$/;

/** What makes a copy of an output that goes elsewhere, and leaves the exit code as it was. */
function keptOutput(command: string, { words, end, output }: SimpleCommand, path: string): Edit[] {
  if (output === undefined) return [];
  if (output.kind === 'pipe') return [{ at: end, text: ` ${output.operator} tee ${quote(path)}` }];
  if (KEYWORD.test(words[0]!.text)) return [];
  const { target, operator } = output;
  const copied = `cat ${quote(path)} ${operator.includes('>>') ? '>>' : '>'} ${command.slice(target.start, target.end)}`;
  return [
    { at: end, text: `; ended=$?; ${copied}; (exit $ended); }` },
    { at: target.start, text: quote(path), instead: target.end - target.start },
    { at: words[0]!.start, text: '{ ' },
  ];
}

/** The command for these test files only; undefined where that cannot be said of it. Follow it again before it is reported. */
export function narrowed(command: string, { runs }: Followed, files: readonly string[]): string | undefined {
  return rewritten(command, runs, (run) => REPORTERS[run.reporter].only?.(run.words, files));
}

/** The command for one test alone in its process; undefined where that cannot be said. */
export function aloneCommand(command: string, { runs }: Followed, test: string): string | undefined {
  return rewritten(command, runs, (run) => REPORTERS[run.reporter].alone?.(run.words, test));
}

function rewritten(
  command: string,
  runs: readonly Run[],
  changed: (run: Run) => readonly string[] | undefined,
): string | undefined {
  const run = runs[0];
  if (runs.length !== 1 || run?.place === undefined) return undefined;
  const { words, supplied } = run.place;
  const now = changed(run)?.slice(supplied);
  const [first, last] = [words[supplied], words.at(-1)];
  if (now === undefined || first === undefined || last === undefined) return undefined;
  // Words that stay are written as they were: what the shell expands in them must not be quoted.
  const written = new Map(words.map((word) => [word.text, command.slice(word.start, word.end)]));
  const text = now.map((word) => written.get(word) ?? quote(word)).join(' ');
  return `${command.slice(0, first.start)}${text}${command.slice(last.end)}`;
}
