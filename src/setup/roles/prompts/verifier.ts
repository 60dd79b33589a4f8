import { type ChatMessage, VerifierMove } from '../../../contract';
import { WHOLE_RUN } from '../../verdict';
import type { Seen, VerifierDossier } from '../role';
import { caseText } from './case';
import { conversation, formatOf, section } from './conversation';

const MEANINGS: Readonly<Record<string, string>> = {
  look: 'Runs a command that only reads.',
  run_tests: 'Runs the tests and names their framework. The numbers are read from the output, not from you.',
  smoke: 'Writes one file under /tmp and runs the command. Only where the repository has no tests.',
  classify: `Says of each failed test, by the name that the output gives it, why it fails. A run that went wrong as a whole is the test "${WHOLE_RUN}".`,
  conclude:
    'Ends. "success" is whether the environment is fit for use; "hint" tells the set-up agent what to mend, with the error that shows it.',
};

const SYSTEM = `You examine the environment that somebody else set up for a repository. You mend nothing.

Each of your commands runs in a new container of its own, made from the environment as it is: nothing that you write is there the next time, there is no network, only the work directory, homes and /tmp can be written, and /tmp begins empty. The variables and the directory of the environment are set. Installing something, or changing files so that tests pass, proves nothing.

Proceed so
1. Look at the structure and at the files that say how tests are run.
2. Run all tests the way the project's own tools do, in the interpreter that was set up. Where there are components, begin with \`cd DIRECTORY\`: each repository is held to its own run. Leave none out: filters are noticed and are charged later.
3. Classify every failure by what the output shows:
   setup: a declared dependency, plugin, program, library or build product is missing or of a wrong version; the project is not installed; a service that was started does not answer.
   repository_bug: the test ran, and what it tests is wrong, or it is written for another machine.
   external_service: it needs the internet, or a service that nobody was asked to start.
   missing_data: it needs files that the sources do not have.
   A failure that you do not classify counts as setup.
4. Only where there are no tests: a smoke test that imports the package and starts its entry points.
5. Conclude. Success needs at least one test that passed (or a smoke test), and no failure of class setup. A run that collected nothing is no pass.`;

export function verifierPrompt(
  dossier: VerifierDossier,
  seen: readonly Seen<VerifierMove>[],
  chars = 1500,
): ChatMessage[] {
  const first = [caseText(dossier), section('The agent tells you', dossier.hint === '' ? [] : [dossier.hint])].join(
    '\n',
  );
  return conversation(`${SYSTEM}\n\n${formatOf(VerifierMove, MEANINGS)}`, first, seen, chars);
}
