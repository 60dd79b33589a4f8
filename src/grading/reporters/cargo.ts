import type { TestOutcome } from '../../contract';
import { ASKS_NOTHING, Collected, CollectedFailures, programOf, type Reporter } from './reporter';

const OUTCOMES: Readonly<Record<string, TestOutcome>> = { ok: 'passed', FAILED: 'failed', ignored: 'skipped' };

/**
 * `cargo test` and nextest by what they print, which is all that the stable tool chain has, or as JSON where the command
 * asks for that. Ids are `module::test`, those of documentation `src/lib.rs - name (line 3)`; a name that two crates of a
 * workspace have must pass in both.
 */
export const cargo: Reporter = {
  name: 'cargo',
  starts: (words) => programOf(words[0]) === 'cargo' && words.some((word) => /^(t|test|nextest)$/.test(word)),
  // Without it the programs behind the first with a failure do not run, and their tests would seem to fail before a fix.
  asks(_file, words) {
    if (words.includes('--no-fail-fast')) return ASKS_NOTHING;
    const at = words.findIndex((word) => /^(t|test|run)$/.test(word)) + 1;
    return { variables: {}, words: ['--no-fail-fast'], at };
  },
  read({ stdout, stderr }) {
    const collected = new Collected();
    for (const output of [stdout, stderr]) {
      const lines = output.split('\n').map((line) => line.replace(/\r$/, ''));
      let open: string | undefined;
      let isListing = false;
      for (const line of lines) {
        const json =
          /^\{ ?"type": ?"test",.*"event": ?"(ok|failed|ignored|timeout)".*"name": ?"((?:[^"\\]|\\.)*)"/.exec(line);
        const swapped =
          /^\{ ?"type": ?"test",.*"name": ?"((?:[^"\\]|\\.)*)".*"event": ?"(ok|failed|ignored|timeout)"/.exec(line);
        const [event, named] = json ? [json[1], json[2]] : [swapped?.[2], swapped?.[1]];
        if (event !== undefined && named !== undefined) {
          collected.add(named, event === 'ok' ? 'passed' : event === 'ignored' ? 'skipped' : 'failed');
          continue;
        }
        const nextest = /^\s+([A-Z][A-Z-]+) \[[^\]]*\] +(?:\( *\d+\/\d+\) +)?\S+ (\S+)$/.exec(line);
        if (nextest && !/^(SLOW|TRY|START|SETUP)/.test(nextest[1]!)) {
          collected.add(
            nextest[2]!,
            /^(PASS|LEAK)$/.test(nextest[1]!) ? 'passed' : nextest[1] === 'SKIP' ? 'skipped' : 'failed',
          );
          continue;
        }
        const begun = /^test (.+?)(?: - should panic)? \.\.\. ?(.*)$/.exec(line);
        if (begun) open = begun[1]!;
        const ended = /(?:^|[^\w])(ok|FAILED|ignored)(?:, .*| <[\d.]+s>)?$|^(ok|FAILED|ignored)$/s.exec(
          begun ? ` ${begun[2]}` : line,
        );
        if (open !== undefined && ended) {
          collected.add(open, OUTCOMES[(ended[1] ?? ended[2])!]!);
          open = undefined;
        } else if (begun && /^bench:/.test(begun[2]!)) collected.add(begun[1]!, 'passed');
        // The list at the end holds whatever tests printed between a name and its outcome.
        isListing = line === 'failures:' || (isListing && /^ {4}\S|^$/.test(line));
        if (isListing && /^ {4}\S/.test(line)) collected.add(line.trim().replace(/ - should panic$/, ''), 'failed');
        if (/^(running \d+ tests?|test result: .*)$/.test(line)) open = undefined;
      }
    }
    return collected.outcomes();
  },
  failures({ stdout, stderr }) {
    const failures = new CollectedFailures();
    let open: string | undefined;
    for (const line of [...stdout.split('\n'), ...stderr.split('\n')]) {
      // nextest has its own headers: without any that we know, nothing is told apart.
      const begun = /^---- (.+?)(?: - should panic)? std(?:out|err) ----\r?$/.exec(line)?.[1];
      if (begun !== undefined) open = begun;
      else if (/^(failures:|test result: .*)\r?$/.test(line)) open = undefined;
      if (open !== undefined) failures.add(open, line);
    }
    return failures.texts.size > 0 ? failures.texts : undefined;
  },
  only(words, files) {
    const names = files.map((file) => /^tests\/([\w-]+)(?:\.rs|\/.*)$/.exec(file)?.[1]);
    if (names.some((name) => name === undefined) || words.includes('--') || !words.includes('test')) return undefined;
    return [...words, ...[...new Set(names)].flatMap((name) => ['--test', name!])];
  },
  alone(words, test) {
    if (words.includes('--') || !words.includes('test')) return undefined;
    return [...words, '--', '--exact', test];
  },
};
