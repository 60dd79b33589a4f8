import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExperienceUnit, type Suggestion } from '../src/contract/experience';
import {
  cosine,
  embedNgrams,
  evidenceOf,
  NEAR,
  rank,
  renderAtoms,
  situationText,
  unitText,
} from '../src/setup/experience';
import { factsOf, toRepositoryFacts } from '../src/setup/repository/facts-of';
import type { SeenAction, SetupDossier } from '../src/setup/roles/role';

const UNITS = join(__dirname, '..', 'experience', 'units.jsonl');

/** Shipped units for the last step's error, best first: the store's first layer over a file, without a database. */
export function suggestionsFor(
  last: SeenAction,
  { survey, workdir }: Pick<SetupDossier, 'survey' | 'workdir'>,
  seen: readonly SeenAction[],
): Suggestion[] {
  if (last.observed.exitCode === 0 || !existsSync(UNITS)) return [];
  const units = readFileSync(UNITS, 'utf8')
    .trim()
    .split('\n')
    .map((line) => ExperienceUnit.parse(JSON.parse(line)));
  const situation = {
    error: last.observed.output,
    command: 'command' in last.move ? (last.move.command ?? null) : null,
    summary: '',
  };
  const facts = toRepositoryFacts(factsOf(survey), 'debian');
  const evidence = evidenceOf(situation);
  const here = embedNgrams(situationText(situation));
  const candidates = units.map((unit) => {
    const near = cosine(here, embedNgrams(unitText(unit)));
    const hit = (pattern: string) =>
      new RegExp(pattern, 'im').test(evidence.key)
        ? 'key'
        : new RegExp(pattern, 'im').test(evidence.whole)
          ? 'whole'
          : null;
    const patterns = Object.fromEntries(
      unit.signals.regex.map((pattern) => [pattern, hit(pattern)]).filter(([, where]) => where !== null),
    );
    return { unit, cosine: near >= NEAR ? near : null, text: null, patterns };
  });
  const exclude = seen.flatMap(({ move }) => (move.action === 'try_experience' ? [move.unit] : []));
  const guest = {
    python: '/venv/bin/python',
    venv: '/venv',
    packageManager: 'apt' as const,
    node: 'npm' as const,
    conda: false,
    workdir,
  };
  return rank(candidates, situation, facts, { exclude, limit: 3 }).map((one) => ({
    ...one,
    commands: renderAtoms(one.atoms, guest).commands,
  }));
}
