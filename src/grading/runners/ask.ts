import { quote } from '../../rollout/shell';
import { REPORTERS } from '../reporters';
import type { ReporterName } from '../reporters/reporter';
import type { Followed, Run } from './follow';

export interface ReportedCommand {
  /** The command line to run, its variables exported in front. */
  readonly command: string;
  /** Which runner writes which report; those that nothing could be asked of print what is read. */
  readonly reports: readonly { readonly reporter: ReporterName; readonly path: string }[];
}

/**
 * The command with its runners asked for their own reports. A runner that the command starts itself is asked by words
 * there, each in a file of its own (`file`, `file.1`, …), so that nothing reaches programs that tests start. One behind
 * scripts is asked by variables; several of one kind there share a file, in which the last report stays.
 */
export function reported(command: string, { runs }: Followed, file: string): ReportedCommand {
  const variables = new Map<string, string>();
  const reports: { reporter: ReporterName; path: string }[] = [];
  const edits: { at: number; text: string }[] = [];
  for (const { reporter, words, place } of runs) {
    const shared = place === undefined ? reports.find((each) => each.reporter === reporter) : undefined;
    if (shared) continue;
    const path = reports.length === 0 ? file : `${file}.${reports.length}`;
    reports.push({ reporter, path });
    const asked = REPORTERS[reporter].asks(path, words);
    if (place !== undefined && asked.words.length > 0) {
      const text = asked.words.map(quote).join(' ');
      const next = place.words[asked.at];
      edits.push(next ? { at: next.start, text: `${text} ` } : { at: place.words.at(-1)!.end, text: ` ${text}` });
    } else {
      for (const [name, value] of Object.entries(asked.variables)) variables.set(name, value);
    }
  }
  const exports = [...variables].map(([name, value]) => {
    const between = name === 'TOX_OVERRIDE' ? ';' : ' ';
    return `export ${name}="\${${name}:+$${name}${between}}"${quote(value)}\n`;
  });
  return { command: `${exports.join('')}${edited(command, edits)}`, reports };
}

function edited(text: string, edits: readonly { at: number; text: string }[]): string {
  return edits
    .toSorted((a, b) => b.at - a.at)
    .reduce((whole, edit) => whole.slice(0, edit.at) + edit.text + whole.slice(edit.at), text);
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
