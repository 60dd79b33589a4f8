import { type ChatMessage, ProsecutorMove } from '../../../contract';
import { preview } from '../../../rollout/clip';
import type { ProsecutorDossier, Seen } from '../role';
import { caseText } from './case';
import { conversation, formatOf, section } from './conversation';

const MEANINGS: Readonly<Record<string, string>> = {
  examine: 'Runs a command to look for faults.',
  charge:
    'Brings one charge. "claim" says in a sentence what is wrong, "declared" where the repository asks for it. "command" shows it: it must end with 0 when the charge is unfounded, and with another code when it is true. A charge whose command ends with 0 is dropped.',
  rest: 'Ends. Do so when each family of charges was looked at.',
};

const SYSTEM = `You are to find what is wrong with the environment that was set up for a repository. Somebody claims that it works, and a verifier agreed; believe neither. But charge only what you can show by a command.

Each of your commands runs in a new container of its own, made from the environment as it is, without a network; nothing can be mended there.

Look at one family after the other
- dependency: every core dependency that the repository declares is installed, in a version that it allows, in the interpreter that runs the tests. Distribution names and import names differ: ask the metadata.
- entry_point: declared programs, modules and main files start (--help is enough). A library without any has none.
- interpreter: it is of a version that the repository allows.
- tests: the suite runs as a whole, and no test fails for want of something that could have been installed.
- filtered: the verifier ran all tests; nobody put in a conftest.py, an option, a skip or an ignore that leaves some out; no test file is gone or was edited.
- service: every service that is declared or was asked for answers, from where the code runs; in a family of repositories, across the containers.
- claim: what the agent says agrees with what you see.

Do not charge: optional extras, tests that need the internet or a service nobody asked for, wrong assertions, missing data, linters and other tools that no test needs. Use the same interpreter and variables that the tests ran with: a fault of another interpreter is none.`;

export function prosecutorPrompt(
  dossier: ProsecutorDossier,
  seen: readonly Seen<ProsecutorMove>[],
  chars = 1500,
): ChatMessage[] {
  return conversation(
    `${SYSTEM}\n\n${formatOf(ProsecutorMove, MEANINGS)}`,
    `${caseText(dossier)}\n${verifierText(dossier)}`,
    seen,
    chars,
  );
}

/** What the verifier did and found. */
export function verifierText({ verifier, verifierMoves }: ProsecutorDossier): string {
  const told = verifierMoves.map(
    ({ move, observed }) =>
      `${preview(JSON.stringify(move), 300)} -> ${observed.exitCode ?? '-'}: ${preview(observed.output.trim().slice(-400), 300)}`,
  );
  const found = verifier
    ? [
        `success: ${verifier.success}; ${JSON.stringify(verifier.counts)}; ${verifier.hint}`,
        ...verifier.failures.slice(0, 20).map((one) => `${one.test}: ${one.class}, ${one.why}`),
      ]
    : ['nobody verified it'];
  return [section('What the verifier did', told), section('What the verifier found', found)]
    .filter((part) => part !== '')
    .join('\n');
}
