import type { SetupMoment } from '../../contract';
import { changesEnvironment, parts, plain, shellWords } from './commands';

/** What a part of a command does: what it installs or sets, or the part itself where it does neither. */
interface Deed {
  readonly program: string;
  /** Names with their versions and values. */
  readonly words: readonly string[];
}

/**
 * The first of some commands that a run tried, and that never both worked and was kept. What no step did may be another
 * wording of what one did, so it counts as tried only where the same words, or the same names without versions, stand
 * in a step.
 */
export function onlyFailed(commands: readonly string[], moments: readonly SetupMoment[]): string | undefined {
  const tried = moments.flatMap((moment) =>
    moment.command === null ? [] : deedsOf(moment.command).map((deed) => ({ deed, kept: isKept(moment) })),
  );
  return commands.find((command) =>
    deedsOf(command).some((wanted) => {
      const exactly = tried.filter(({ deed }) => covers(deed, wanted));
      const loosely = exactly.length > 0 ? exactly : tried.filter(({ deed }) => covers(named(deed), named(wanted)));
      return loosely.length > 0 && !loosely.some(({ kept }) => kept);
    }),
  );
}

/** Setting a variable has no exit code. */
function isKept({ undone, exitCode, action }: SetupMoment): boolean {
  return !undone && (exitCode === 0 || (exitCode === null && action === 'set_env'));
}

function deedsOf(command: string): Deed[] {
  return parts(command).flatMap((part): Deed[] => {
    const text = plain(part);
    if (!changesEnvironment(part)) return text === '' ? [] : [{ program: text, words: [] }];
    const [program = '', ...rest] = shellWords(text);
    const words = rest.filter((word) => !word.startsWith('-') && !/^(?:install|add|update|i)$/.test(word));
    return words.length === 0 ? [] : [{ program: program === 'apt' ? 'apt-get' : program, words }];
  });
}

function covers(done: Deed, wanted: Deed): boolean {
  return done.program === wanted.program && wanted.words.every((word) => done.words.includes(word));
}

function named({ program, words }: Deed): Deed {
  return { program, words: words.map((word) => word.replace(/(?<=.)(?:\[[^\]]*\])?[=<>~!@].*$/, '')) };
}
