import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { ModelError } from '../../src/model';
import { ask, modelAt } from './fixtures';

/**
 * What model servers answer, a file a subject, named by its words because several servers share them. What we make of each
 * is in the snapshot: a new answer is a new entry.
 */
const FOLDER = join(__dirname, 'recorded');
const Answers = z.array(z.strictObject({ name: z.string(), status: z.int(), body: z.unknown() }));
const recorded = readdirSync(FOLDER)
  .sort()
  .flatMap((file) =>
    Answers.parse(JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))).map(
      (answer) => [file.replace('.json', ''), answer.name, answer] as const,
    ),
  );

test.each(recorded)('%s: %s', async (_subject, _name, { status, body }) => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as AddressInfo;
  const outcome: unknown = await modelAt(`http://127.0.0.1:${port}/v1`)
    .complete(ask(), { requestId: 'r1' })
    .catch((error: unknown) => error);
  await new Promise((closed) => server.close(closed));
  if (!(outcome instanceof ModelError)) expect(outcome).toMatchSnapshot();
  else {
    const { code, retryable, message, hint } = outcome;
    expect({ code, retryable, message, hint }).toMatchSnapshot();
  }
});
