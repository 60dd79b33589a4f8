import type { RepositoryFacts } from '../../contract/experience';
import type { ProjectFacts } from './facts';

/** What experience is filtered by. `runtimes` are those that run, such as `python3.11`: a manifest only says what it accepts. */
export function toRepositoryFacts(facts: ProjectFacts, os: string, runtimes: readonly string[] = []): RepositoryFacts {
  return {
    lang: facts.languages[0] ?? '',
    os,
    runtime: [...runtimes],
    tools: [...new Set([...facts.buildSystems, ...facts.testFrameworks])],
  };
}
