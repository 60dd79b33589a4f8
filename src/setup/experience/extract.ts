import {
  type Atom,
  ExperienceDraft,
  type RepositoryFacts,
  type SetupMoment,
  type UnitProvenance,
} from '../../contract';
import { errorSignatures } from '../error-signature';
import { changesEnvironment, goalOf, parts, plain, repeats, shellWords, unquoted } from './commands';
import { generalized, isParticular, type Particulars, particularsOf } from './generalize';
import { avoidsTests, runsNoTests } from './test-avoidance';

export interface ExtractOptions {
  readonly facts: RepositoryFacts;
  /** The court's verdict on the environment: `not_guilty`, `guilty`, `error`, or null where there was none. */
  readonly verdict: string | null;
  /** What was upheld against the environment, as text. */
  readonly charges: readonly string[];
  readonly workdir: string | null;
  readonly provenance: UnitProvenance;
}

interface Pair {
  readonly error: string;
  readonly goal: string;
  readonly fix: readonly string[];
  /** What ran when the error was gone. */
  readonly solved: boolean;
}

const LONGEST_FIX = 6;

/**
 * What a trajectory taught, one unit for each error that a kept action made go away. Forward from the error: the same
 * goal is reached again without it, and what changed the environment in between is the fix. Actions that failed or were
 * undone are never part of one, nor is anything that only avoids tests; where the environment was found guilty, what the
 * charges are about was no fix.
 */
export function extractByRules(moments: readonly SetupMoment[], options: ExtractOptions): ExperienceDraft[] {
  const particulars = particularsOf(options.provenance.repository, options.workdir);
  const drafts = moments.flatMap((_, at) => {
    const pair = pairFrom(moments, at);
    if (!pair || isDisputed([pair.error, ...pair.fix], options)) return [];
    const draft = draftOf(pair, options, particulars);
    return draft ? [draft] : [];
  });
  const seen = new Set<string>();
  return drafts.filter(({ signals }) => {
    const cause = signals.regex.join('\n');
    return seen.has(cause) ? false : seen.add(cause) !== undefined;
  });
}

function pairFrom(moments: readonly SetupMoment[], at: number): Pair | undefined {
  const failed = moments[at]!;
  if (failed.command === null || failed.exitCode === 0 || failed.exitCode === null) return undefined;
  const [error] = errorSignatures(failed.output);
  if (!error) return undefined;
  const had = new Set(parts(failed.command).map(plain));
  const fix: string[] = [];
  for (const later of moments.slice(at + 1)) {
    if (later.undone) continue;
    // What it did is not written here, and everything later would be taken for what helped.
    if (triedAsItIs(later) || isDated(later)) return undefined;
    if (later.command === null) continue;
    const again = repeats(later.command, failed.command);
    const after = later.exitCode === 0 ? [] : errorSignatures(later.output);
    const changes = parts(later.command).filter((part) => changesEnvironment(part) && !had.has(plain(part)));
    if (again && (later.exitCode === 0 || (after.length > 0 && !after.includes(error)))) {
      // A command that failed in another way may have failed in its very fix: only what it did before counts.
      const whole = later.exitCode === 0 ? [...fix, ...changes] : fix;
      if (whole.length === 0 || whole.length > LONGEST_FIX) return undefined;
      if (avoidsTests(later.command) || whole.some((part) => avoidsTests(part) || runsNoTests(part))) return undefined;
      return { error, goal: goalOf(failed.command), fix: whole, solved: later.exitCode === 0 };
    }
    if (again) continue;
    if (later.exitCode === 0 && later.action !== 'verify') fix.push(...changes);
  }
  return undefined;
}

/** A unit tried with the commands of its own; one that was refused has no exit code. */
function triedAsItIs({ action, command, exitCode }: SetupMoment): boolean {
  return action === 'try_experience' && command === null && exitCode !== null;
}

/** All packages put back to one project's day: nothing in that is of use to another, and which of them it took stays unknown. */
function isDated({ command, exitCode }: SetupMoment): boolean {
  return exitCode === 0 && /--exclude-newer[ =]\d{4}|--before[ =]\d{4}|PIP_UPLOADED_PRIOR_TO=/.test(command ?? '');
}

/** Whether the court objected to what these texts are about. */
export function isDisputed(
  texts: readonly string[],
  { verdict, charges }: Pick<ExtractOptions, 'verdict' | 'charges'>,
): boolean {
  if (verdict !== 'guilty') return false;
  const subject = words(texts.join(' '));
  return charges.some((charge) => [...words(charge)].filter((word) => subject.has(word)).length >= 2);
}

const COMMON = new Set(
  'error install installed command failed module python tests test with from the and not for package'.split(' '),
);
function words(text: string): Set<string> {
  return new Set((text.toLowerCase().match(/[a-z][a-z0-9_.-]{2,}/g) ?? []).filter((word) => !COMMON.has(word)));
}

function draftOf(pair: Pair, options: ExtractOptions, particulars: Particulars): ExperienceDraft | undefined {
  const { facts, verdict, provenance } = options;
  // An error that only this project can have (its own module is missing, say) teaches nobody else.
  const cause = generalized(pair.error, particulars);
  const steps = pair.fix.map((part) => generalized(part.trim(), particulars));
  const atoms = pair.fix.filter((part) => !isParticular(part, particulars)).map(atomOf);
  // Half of a chain of actions would be worse than its description.
  const whole = atoms.length === pair.fix.length ? merged(atoms) : [];
  const tools = [...new Set([goalProgram(pair.goal), ...pair.fix.map((part) => goalProgram(plain(part)))])].filter(
    Boolean,
  );
  const draft = {
    signals: {
      keywords: keywordsOf(cause),
      regex: [patternOf(cause)],
      situation_triggers: [`${goalProgram(pair.goal) || 'a command'} fails: ${cause}`.slice(0, 400)],
      applicability: {
        lang: facts.lang,
        os: whole.some(({ name }) => name === 'apt_install') ? ['debian', 'ubuntu'] : [],
        runtime: [],
        tools,
      },
    },
    advice_nl: [
      `Seen: ${cause}`,
      `What made it go away: ${steps.join('; then ')}`.slice(0, 1_500),
      ...(pair.solved ? [] : ['Afterwards the same command came further and failed for another reason.']),
    ],
    atoms: whole,
    provenance: { ...provenance, ...(verdict === null ? {} : { verdict }) },
  };
  return ExperienceDraft.safeParse(draft).data;
}

/** Installations by one manager in a row are one. */
function merged(atoms: readonly Atom[]): Atom[] {
  const joined: Atom[] = [];
  for (const atom of atoms) {
    const last = joined.at(-1);
    const same = last && last.name === atom.name && (atom.name === 'apt_install' || atom.name === 'pip_install');
    const [before, now] = [last?.args.packages, atom.args.packages];
    if (same && Array.isArray(before) && Array.isArray(now) && !last.args.flags && !atom.args.flags) {
      joined[joined.length - 1] = { ...last, args: { packages: [...new Set([...before, ...now])] } };
    } else joined.push(atom);
  }
  return joined;
}

function goalProgram(part: string): string {
  return /^[A-Za-z][\w.+-]*/.exec(part)?.[0] ?? '';
}

/** The error with its placeholders open, as a pattern. Of a file it has the name, which programs print with the path. */
export function patternOf(cause: string): string {
  return cause
    .slice(0, 160)
    .split(/<(?:path|n|ip|port|time|hex|id|addr|url|duration|version)>|PROJECT|VERSION/)
    .map((literal) =>
      literal
        .split(/(?<=^|[\s'"(=])(?=[\w+-][\w.+-]{0,100}\.[A-Za-z]\w{0,5}(?:[\s'"):,]|$))/)
        .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join(String.raw`(?:[^\s'"()]{0,200}/)?`),
    )
    .join('.{1,80}');
}

/** The words that name something: quoted ones, error classes, files. */
export function keywordsOf(cause: string): string[] {
  const quotedWords = [...cause.matchAll(/['"]([\w.+/-]{2,60})['"]/g)].map(([, word]) => word!);
  const named =
    cause.match(
      /\b[A-Z]\w+(?:Error|Exception|NotFound)\b|(?<![\w-])[\w-]+\.(?:h|so|py|toml|cfg|json)\b|\b\w[a-zA-Z0-9]*_\w+\b|^[\w.-]+(?=: command not found)/g,
    ) ?? [];
  return [...new Set([...quotedWords, ...named])].filter((word) => !/^(?:PROJECT|VERSION)$/.test(word)).slice(0, 10);
}

/** A part of a command as the atom that says the same, so that another container renders it its own way. */
function atomOf(part: string): Atom {
  const words = shellWords(plain(part));
  const [program = '', verb = ''] = words;
  const rest = words.slice(2);
  const names = rest.filter((word) => !word.startsWith('-'));
  if (program === 'export' || /^[A-Za-z_]\w*=/.test(program)) return setEnv(part);
  if (program === 'pip' && verb === 'install' && names.length > 0 && !takesValue(rest)) {
    const flags = rest.filter((word) => word.startsWith('-') && word !== '-y');
    const [only = ''] = names;
    const [, name, spec] = /^([A-Za-z0-9._-]+(?:\[[^\]]*\])?)([=<>~!].*)$/.exec(only) ?? [];
    if (names.length === 1 && name && spec && flags.length === 0) return { name: 'pip_pin', args: { name, spec } };
    return { name: 'pip_install', args: { packages: names, ...(flags.length > 0 ? { flags } : {}) } };
  }
  if ((program === 'apt-get' || program === 'apt') && verb !== 'update') {
    const wanted = words.slice(1).filter((word) => !word.startsWith('-') && word !== 'install');
    if (words.includes('install') && wanted.length > 0) return { name: 'apt_install', args: { packages: wanted } };
  }
  if (program === 'conda' && verb === 'install' && names.length > 0 && !takesValue(rest)) {
    return { name: 'conda_install', args: { packages: names } };
  }
  if (program === 'npm' && (verb === 'install' || verb === 'i')) {
    const flags = rest.filter(
      (word) => word.startsWith('-') && !['--no-save', '--no-audit', '--no-fund'].includes(word),
    );
    return { name: 'npm_install', args: { packages: names, ...(flags.length > 0 ? { flags } : {}) } };
  }
  return { name: 'shell', args: { cmd: part } };
}

function setEnv(part: string): Atom {
  const [, key, value = ''] = /^(?:export\s+)?([A-Za-z_]\w*)=(.*)$/s.exec(part.trim()) ?? [];
  if (!key) return { name: 'shell', args: { cmd: part } };
  return { name: 'set_env', args: { key, value: unquoted(value) } };
}

/** Options whose value follows as a word of its own; such a command stays as it was written. */
function takesValue(words: readonly string[]): boolean {
  return words.some((word) =>
    /^(?:-r|-c|-e|-i|-f|-t|-n|--requirement|--constraint|--editable|--index-url|--extra-index-url|--target|--find-links|--name)$/.test(
      word,
    ),
  );
}
