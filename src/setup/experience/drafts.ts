import { type Atom, ExperienceDraft, type GuestFacts, type SetupMoment, type UnitSignals } from '../../contract';
import { renderAtoms } from './atoms';
import { onlyFailed } from './attempts';
import { changesEnvironment } from './commands';
import { type ExtractOptions, isDisputed } from './extract';
import { generalized, isParticular, type Particulars, particularsOf } from './generalize';
import type { ExtractAnswer } from './prompts/extract';
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
  ...{ python: null, venv: null, packageManager: 'apt', node: 'npm', conda: true, workdir: '/' },
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
