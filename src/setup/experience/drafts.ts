import { type Atom, ExperienceDraft, type GuestFacts, type SetupMoment, type UnitSignals } from '../../contract';
import { renderAtoms } from './atoms';
import { changesEnvironment, parts, plain, shellWords } from './commands';
import { type ExtractOptions, isDisputed } from './extract';
import { generalized, isParticular, type Particulars, particularsOf } from './generalize';
import type { ExtractAnswer } from './questions';
import { atomText, avoidanceIn, avoidsTests, instructions, runsNoTests } from './test-avoidance';

const DraftAnswer = ExperienceDraft.omit({ provenance: true });
type DraftAnswer = Pick<ExperienceDraft, 'signals' | 'advice_nl' | 'atoms'>;

/**
 * A model's units as drafts, under the rules that extraction without a model obeys: what is no unit, what avoids tests,
 * what only failed and what the court objected to is refused by itself, with the reason; what belongs to the repository is
 * taken out of the rest.
 */
export function checkedDrafts(
  answer: ExtractAnswer,
  moments: readonly SetupMoment[],
  options: Pick<ExtractOptions, 'provenance' | 'verdict' | 'charges' | 'workdir'>,
): { drafts: ExperienceDraft[]; refused: string[] } {
  const { provenance, verdict, workdir } = options;
  const particulars = particularsOf(provenance.repository, workdir);
  const drafts: ExperienceDraft[] = [];
  const refused: string[] = [];
  for (const item of answer.units) {
    const read = DraftAnswer.safeParse(item);
    if (!read.success) {
      refused.push(read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '));
      continue;
    }
    const objection = objectionTo(read.data, moments, options);
    const said = general(read.data, particulars);
    if (objection !== undefined) refused.push(objection);
    else if (said === undefined) refused.push('its signals are about this repository alone');
    else drafts.push({ ...said, provenance: { ...provenance, ...(verdict === null ? {} : { verdict }) } });
  }
  return { drafts, refused };
}

function objectionTo(
  { signals, advice_nl, atoms }: DraftAnswer,
  moments: readonly SetupMoment[],
  options: Pick<ExtractOptions, 'verdict' | 'charges'>,
): string | undefined {
  const texts = atoms.map(atomText);
  const avoiding = texts.find((text) => avoidsTests(text) || runsNoTests(text)) ?? avoidanceIn(advice_nl);
  if (avoiding !== undefined) return `avoids tests: ${short(avoiding)}`;
  const failed = onlyFailed([...commandsOf(atoms), ...advice_nl.flatMap(commandsIn)], moments);
  if (failed !== undefined) return `in this run it failed or was undone: ${short(failed)}`;
  // Without actions it may be the warning that a charge calls for.
  const about = [...texts, ...signals.keywords, ...signals.regex];
  return atoms.length > 0 && isDisputed(about, options) ? 'an upheld charge is about it' : undefined;
}

/** A container where every atom can be rendered: what the commands say is compared, and none of them is run. */
const ANYWHERE: GuestFacts = {
  python: null,
  venv: null,
  packageManager: 'apt',
  node: 'npm',
  conda: true,
  workdir: '/',
};

function commandsOf(atoms: readonly Atom[]): string[] {
  return renderAtoms(atoms, ANYWHERE).commands.filter((command) => command !== 'apt-get update');
}

/** Commands that advice tells to run. */
function commandsIn(advice: string): string[] {
  return instructions(advice)
    .flatMap((sentence) => [...sentence.matchAll(/`([^`]+)`/g)].map(([, code]) => code!))
    .filter(changesEnvironment);
}

/** The same for any repository; nothing where only this one could ever find it. Fields that are none of a unit's go. */
function general({ signals, advice_nl, atoms }: DraftAnswer, particulars: Particulars): DraftAnswer | undefined {
  const foreign = (text: string) => !isParticular(text, particulars);
  const words = (texts: readonly string[], most: number) =>
    texts.map((text) => generalized(text, particulars).slice(0, most));
  const { lang, os, runtime, tools } = signals.applicability;
  const kept: UnitSignals = {
    keywords: signals.keywords.filter(foreign),
    // A pattern spells a dot with a backslash before it.
    regex: signals.regex.filter((pattern) => foreign(pattern) && foreign(pattern.replace(/\\(?=\W)/g, ''))),
    situation_triggers: words(signals.situation_triggers, 500),
    applicability: { lang, os, runtime, tools: tools.filter(foreign) },
  };
  const had = signals.keywords.length + signals.regex.length;
  if (had > 0 && kept.keywords.length + kept.regex.length === 0) return undefined;
  // Half of a chain of actions would be worse than its description.
  const whole = atoms.every((atom) => foreign(atomText(atom)));
  return {
    signals: kept,
    advice_nl: words(advice_nl, 2_000),
    atoms: whole ? atoms.map(({ name, args }) => ({ name, args })) : [],
  };
}

function short(text: string): string {
  return JSON.stringify(text.slice(0, 120));
}

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
function onlyFailed(commands: readonly string[], moments: readonly SetupMoment[]): string | undefined {
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
  return { program, words: words.map((word) => word.replace(/(?<=.)(?:\[[^[\]]*\])?[=<>~!@].*$/s, '')) };
}
