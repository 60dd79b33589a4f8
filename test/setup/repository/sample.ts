import { factsOf } from '../../../src/setup/repository/facts-of';
import { surveyOf } from '../../../src/setup/repository/markers';

/** Facts of a repository that holds these files; an empty text stands for any content. */
export function factsOfFiles(files: Readonly<Record<string, string>>) {
  return factsOf(surveyOf(Object.entries(files)));
}
