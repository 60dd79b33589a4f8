import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ModelError } from '../../src/model';
import { outcomeOf } from './fixtures';

/**
 * What model servers answer: `recorded` has a file a subject, named by its words because several servers share them, and
 * `servers` a file a server, with its shapes around words of ours; text is a stream. What we make of each is in the
 * snapshot: a new answer is a new entry.
 */
const Answers = z.array(z.strictObject({ name: z.string(), status: z.int(), body: z.unknown() }));
const recorded = ['recorded', 'servers'].flatMap((folder) =>
  readdirSync(join(__dirname, folder))
    .sort()
    .flatMap((file) =>
      Answers.parse(JSON.parse(readFileSync(join(__dirname, folder, file), 'utf8'))).map(
        (answer) => [file.replace('.json', ''), answer.name, answer] as const,
      ),
    ),
);

test.each(recorded)('%s: %s', async (_subject, _name, answer) => {
  const outcome = await outcomeOf(answer);
  if (outcome instanceof ModelError) {
    const { code, retryable, message, hint } = outcome;
    expect({ code, retryable, message, hint }).toMatchSnapshot();
  } else {
    // How long it took is nothing of the answer.
    expect({ ...outcome, latencyMs: 0 }).toMatchSnapshot();
  }
});
