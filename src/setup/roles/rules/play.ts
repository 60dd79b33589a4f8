import type { ProjectFacts } from '../../repository/facts';
import { factsOf } from '../../repository/facts-of';
import { atProjectRoot } from '../../repository/project-root';
import type { Survey } from '../../repository/survey';
import type { Case, Observed, Seen } from '../role';

/**
 * A role written as one procedure: it yields a move and is handed what came of it. Played again from the start for every
 * turn, with what was seen, it comes to the same next move: so a policy needs no memory of its own.
 */
export type Play<Move> = Generator<Move, Move, Observed>;

export function nextMove<Move>(play: Play<Move>, seen: readonly Seen<Move>[]): Move {
  let turn = play.next();
  for (const { observed } of seen) {
    if (turn.done) break;
    turn = play.next(observed);
  }
  return turn.value;
}

/** The repository that is set up, or another one of its family; work directory and survey are those of the project in it. */
export interface Repository {
  readonly name: string;
  readonly isMain: boolean;
  readonly workdir: string;
  /** Where the project lies in the repository, empty for its root. */
  readonly folder: string;
  readonly survey: Survey;
  readonly facts: ProjectFacts;
}

/** The main one first. */
export function repositoriesOf(dossier: Case): Repository[] {
  const { workdir, survey, components } = dossier;
  const main = { name: dossier.source, workdir, survey };
  return [main, ...components].map((one, at) => {
    const own = atProjectRoot(one);
    return { ...own, facts: factsOf(own.survey), isMain: at === 0 };
  });
}

/** Fields of the lines that a command of ours printed: a word of ours, then values, with tabs between. */
export function rowsOf(output: string, word: string): string[][] {
  return output
    .split('\n')
    .map((line) => line.replace(/\r$/, '').split('\t'))
    .filter(([first]) => first === word)
    .map(([, ...rest]) => rest);
}
