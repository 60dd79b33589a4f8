import { posix } from 'node:path';
import { REPORTERS } from '../reporters';
import type { Reporter, ReporterName } from '../reporters/reporter';
import { type SimpleCommand, simpleCommands, type Word } from './command-line';
import { callsPytest, ledBy, type ReadFile } from './files';
import { unwrapped } from './wrappers';

/** One runner that a command really starts. */
export interface Run {
  readonly reporter: ReporterName;
  /** The command that starts it, without what only starts that. */
  readonly words: readonly string[];
  /** Files on the way to it, from the work directory; empty where the command starts it itself. */
  readonly through: readonly string[];
  /** Where the command has its words, if it starts it itself: the words, less those that only stand for others. */
  readonly place: { readonly words: readonly Word[]; readonly supplied: number } | undefined;
  /** Why this one, as a sentence for people. */
  readonly why: string;
}

export interface Followed {
  /** At least one; several where the command runs one after the other. */
  readonly runs: readonly Run[];
  /** Every file that was followed or started: each of them configures the run. */
  readonly through: readonly string[];
  /** The simple commands of the command itself that start or lead to the runners. */
  readonly hosts: readonly SimpleCommand[];
}

/** Scripts that start scripts further than this start themselves. */
const DEEPEST = 8;
/** Scripts and tables of commands that are read for one command: each may lead to as many again. */
const MOST_FOLLOWED = 500;
/** Characters of them together; a script that is read again counts again. */
const MOST_CHARACTERS = 2_000_000;
/** Characters of a folder's path, which every `cd` makes longer. */
const LONGEST_FOLDER = 4096;

/**
 * Follows a problem's test command to the runners that it really starts, through wrappers, scripts, make, tox, nox and the
 * like. `readFile` gives the text of a file by its path from the work directory, undefined where there is none. Where
 * nothing is recognised, the ids of the wanted tests decide by their form, and `why` says so.
 */
export function followed(command: string, readFile: ReadFile, wanted: readonly string[] = []): Followed {
  const runs: Run[] = [];
  const through = new Set<string>();
  const hosts = new Set<SimpleCommand>();
  let left = MOST_FOLLOWED;
  let characters = MOST_CHARACTERS;
  const read: ReadFile = (path) => {
    const text = characters > 0 ? readFile(path) : undefined;
    characters -= text?.length ?? 0;
    return text;
  };
  follow(command, '', [], undefined);
  if (runs.length > 0) return { runs, through: [...through], hosts: [...hosts] };
  const [reporter, why] = byIds(wanted);
  const run: Run = { reporter, words: [], through: [...through], place: undefined, why };
  return { runs: [run], through: [...through], hosts: simpleCommands(command).slice(-1) };

  function follow(text: string, start: string, files: readonly string[], host: SimpleCommand | undefined): void {
    const isOwn = host === undefined;
    let folder = start;
    characters -= text.length;
    if (characters < 0) return;
    for (const simple of simpleCommands(text)) {
      const { words, supplied, by } = unwrapped(simple.words);
      const texts = words.map((word) => word.text);
      if (texts.length === 0) continue;
      if (/^(cd|pushd)$/.test(texts[0]!) && texts[1] !== undefined) {
        if (folder.length + texts[1].length > LONGEST_FOLDER) return;
        folder = texts[1].startsWith('/') ? texts[1] : posix.join(folder, texts[1]);
        continue;
      }
      const reporter = callsPytest(texts, folder, read)
        ? undefined
        : Object.values(REPORTERS).find((each: Reporter) => each.starts(texts));
      if (reporter !== undefined) {
        hosts.add(host ?? simple);
        runs.push({
          reporter: reporter.name,
          words: texts,
          through: files,
          place: isOwn ? { words, supplied } : undefined,
          why: isOwn ? `the command starts it: ${texts.slice(0, 4).join(' ')}` : `${files.at(-1)} starts it`,
        });
        continue;
      }
      const led = files.length < DEEPEST && left-- > 0 ? ledBy(texts, by, folder, read) : undefined;
      if (led === undefined) continue;
      const next = led.files.filter((file) => !files.includes(file));
      // A file that leads to itself again leads nowhere new, unless it is a table of many commands.
      if (led.files.length > 0 && next.length === 0 && files.length >= DEEPEST / 2) continue;
      for (const file of led.files) through.add(file);
      if (led.isRunner) {
        hosts.add(host ?? simple);
        runs.push({
          reporter: led.isRunner,
          words: texts,
          through: [...files, ...led.files],
          place: isOwn ? { words, supplied } : undefined,
          why: `${led.files.at(-1)} is a runner itself`,
        });
        continue;
      }
      for (const each of led.commands) follow(each, led.folder, [...files, ...led.files], host ?? simple);
    }
  }
}

/** Which runner writes ids of such a form. */
const FORMS: readonly (readonly [RegExp, ReporterName, string])[] = [
  [/^[^\s:]*\.\w+::/, 'pytest', 'the command leads to no runner that is known, and the tests have ids of pytest'],
  [/^\w+ \([\w.]+\)$/, 'unittest', 'the command leads to no runner that is known, and the tests have ids of unittest'],
  [
    /^(?:[\w./-]+(?:::|[./ ]))?(?:Test|Example|Fuzz|Benchmark)[A-Z_]\w*/,
    'go',
    'no runner is known, and the tests have ids of go',
  ],
  [/^\w+(?:::\w+)+$/, 'cargo', 'the command leads to no runner that is known, and the tests have ids of cargo'],
];

function byIds(wanted: readonly string[]): readonly [ReporterName, string] {
  for (const [form, reporter, why] of FORMS) if (wanted.some((id) => form.test(id))) return [reporter, why];
  return ['tap', 'the command leads to no runner that is known: what it prints is read as TAP'];
}
