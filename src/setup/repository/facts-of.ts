import type { RepositoryFacts } from '../../contract/experience';
import { documentedCommands, serviceHints, testPathsOf } from './documents';
import type { Language, ManifestFacts, ProjectFacts } from './facts';
import { LANGUAGES, languagesOf } from './languages';
import type { Survey } from './survey';

/** What a survey says of its project. Pure; broken manifests count as empty, so it never throws. */
export function factsOf(survey: Survey): ProjectFacts {
  const languages = languagesOf(survey);
  // Languages that share a reader are read once, for the first of them.
  const readerOf = (language: Language) => LANGUAGES[language].manifests;
  const readAs = languages.filter(
    (one, at) => languages.findIndex((other) => readerOf(other) === readerOf(one)) === at,
  );
  const read = readAs.map((language) => readerOf(language)(survey));
  const [main] = read;
  const together = <Value>(from: (facts: ManifestFacts) => readonly Value[] | undefined) =>
    read.flatMap((one) => from(one) ?? []);
  const documented = documentedCommands(survey);
  return {
    languages,
    buildSystems: [...new Set(together((one) => one.buildSystems))],
    name: main?.name ?? null,
    version: main?.version ?? null,
    runtime: Object.assign({}, ...read.map((one) => one.runtime ?? {})),
    dependencies: read.flatMap(({ dependencies = [] }, at) =>
      dependencies.map((one) => ({ ...one, language: readAs[at]! })),
    ),
    groups: together((one) => one.groups),
    entryPoints: together((one) => one.entryPoints),
    modules: together((one) => one.modules),
    testPaths: testPathsOf(survey.paths),
    testFrameworks: [...new Set(together((one) => one.testFrameworks))],
    serviceHints: serviceHints(survey),
    vcsVersion: main?.vcsVersion === true && (main.version ?? null) === null,
    documented,
  };
}

/** What experience is filtered by. `runtimes` are those that run, such as `python3.11`: a manifest only says what it accepts. */
export function toRepositoryFacts(facts: ProjectFacts, os: string, runtimes: readonly string[] = []): RepositoryFacts {
  return {
    lang: facts.languages[0] ?? '',
    os,
    runtime: [...runtimes],
    tools: [...new Set([...facts.buildSystems, ...facts.testFrameworks])],
  };
}
