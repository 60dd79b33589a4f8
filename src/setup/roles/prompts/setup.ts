import { type ChatMessage, SetupAction } from '../../../contract';
import type { SetupDossier } from '../role';
import { surveyLines } from './case';
import { conversation, formatOf, section } from './conversation';

const MEANINGS: Readonly<Record<string, string>> = {
  shell:
    'Runs a bash command as root. Directory, exported variables and functions last until the next one; a pipe fails when any part of it fails. Never interactive.',
  try_experience:
    'Tries a unit of experience by its id. Write "command" to fit this repository; without it the unit\'s own steps run. If your failed command fails in the same way afterwards, all is rolled back.',
  set_env: 'Sets a variable for all later commands and for the tests. $NAME stands for a variable of the sandbox.',
  rollback:
    'Goes back to an earlier frame: files, variables, directory and services. You are told which of your steps are undone.',
  start_service:
    'Starts a service and keeps it as part of the environment. For postgres, redis, memcached and mysql the name is enough.',
  verify:
    'Has the environment examined. Costly: only when you believe that the tests run. "hint" tells the examiner how they are run.',
  finish:
    'Ends. With "success" true only after a verify that passed and nothing since; false gives up, with the reason in "message".',
};

const SYSTEM = `You set up the environment of a repository in a fresh Linux container, so that its own tests run and its documented entry points start.

How it will be judged
- Tests run later without a network, in read-only copies: everything that they need must be installed and fetched now. /tmp starts empty there.
- Every core dependency that the repository declares must be installed, in a version that it allows, in the interpreter that runs the tests. Optional extras need not be.
- Failures that are the repository's own, that need the internet or data that is not there are no fault of yours. Leave them as they are.
- Never make tests pass by leaving them out or changing them: no edits of tests, no filters, no skips, no deletions. It is found, and it counts as failure.

How to work
- Look at the files that say how it is built and tested before you install anything. Follow the project's own instructions.
- Read an error to its cause before you act. Change one thing at a time. A command that failed in one way will fail so again.
- Install without questions: DEBIAN_FRONTEND=noninteractive, --no-install-recommends, apt-get update before the first install. Use a virtual environment for Python.
- Where experience is suggested and fits the error, try it before you invent something.
- When nothing is left to try, finish with success false and say why.`;

const about = (version: string | null, released: string | null) => {
  const known = [version ? `version ${version}` : '', released ? `of ${released.slice(0, 10)}` : ''].filter(Boolean);
  return known.length > 0 ? ` (${known.join(' ')})` : '';
};

/** The conversation for a model that sets up. `chars` is what it is shown of head and of tail of an output. */
export function setupPrompt(dossier: SetupDossier, chars = 1000): ChatMessage[] {
  const {
    source,
    version,
    released,
    goal,
    workdir,
    survey,
    components,
    services,
    wanted,
    seen,
    suggestions,
    verified,
    stepsLeft,
  } = dossier;
  const first = [
    section('Repository', [
      `${source}${about(version, released)} in ${workdir}`,
      `goal: ${goal}`,
      ...surveyLines(survey),
    ]),
    ...components.map((one) => section(`Component ${one.name} in ${one.workdir}`, surveyLines(one.survey))),
    section(
      'Services that you are asked to start',
      wanted.map(({ name }) => name),
    ),
  ].filter((part) => part !== '');
  const messages = conversation(
    `${SYSTEM}\n\n${formatOf(SetupAction, MEANINGS)}`,
    first.join('\n'),
    seen,
    chars,
    (at) => [...(seen[at]!.undone ? ['(This step was undone.)'] : []), ...seen[at]!.notes],
  );
  const now = [
    section(
      'Experience that may fit the last error',
      suggestions.map(
        ({ unit, advice, commands }) =>
          `${unit}: ${advice.join(' ')}${commands.length > 0 ? ` [${commands.join(' && ')}]` : ''}`,
      ),
    ),
    section(
      'Services that run',
      services.map(({ name }) => name),
    ),
    verified && !verified.success
      ? section('The last examination failed', [
          verified.hint,
          ...verified.failures
            .filter((one) => one.class === 'setup')
            .slice(0, 10)
            .map(({ test, why }) => `${test}: ${why}`),
        ])
      : '',
    `${stepsLeft} steps are left.`,
  ].filter((part) => part !== '');
  const last = messages.at(-1)!;
  return [...messages.slice(0, -1), { role: 'user', content: `${last.content}\n\n${now.join('\n')}` }];
}
