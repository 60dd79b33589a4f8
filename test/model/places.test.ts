import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, statement } from '../../src/store/database';
import { SqlPlaces } from '../../src/store/shared/places';
import { openDatabase } from '../../src/store/shared/rows';
import { debianPostgres, type RunningPostgres } from '../support/postgres';

let postgres: RunningPostgres;
let url: string;
let database: Database;
let places: SqlPlaces;
beforeAll(async () => {
  postgres = await debianPostgres();
  url = await postgres.database('places');
  database = openDatabase('URL', { URL: url });
  places = new SqlPlaces(database);
}, 600_000);
afterAll(async () => {
  await places?.close();
  await database?.close();
  await postgres?.stop();
});

const ANSWER = JSON.stringify({
  id: 'a',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/** An endpoint that notes how many ask at once. */
async function endpoint() {
  const [seen, at] = [{ most: 0, calls: 0 }, { inside: 0 }];
  const server = createServer(async (request, response) => {
    at.inside += 1;
    seen.calls += 1;
    seen.most = Math.max(seen.most, at.inside);
    request.resume();
    await sleep(40);
    at.inside -= 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { seen, url: `http://127.0.0.1:${port}/v1`, close: () => server.close() };
}

test("hosts that ask one endpoint share its profile's concurrency", async () => {
  const server = await endpoint();
  const asker = join(__dirname, 'children/asker.ts');
  const workers = [1, 2, 3].map(() =>
    spawn(process.execPath, ['--import', 'tsx', asker, server.url, url, '3', '20'], {
      stdio: ['ignore', 'inherit', 'inherit'],
    }),
  );
  const codes = await Promise.all(workers.map(async (each) => (await once(each, 'exit'))[0]));
  server.close();
  expect(codes).toEqual([0, 0, 0]);
  expect(server.seen).toEqual({ most: 3, calls: 60 });
});

test('a place of a host that died is free when its time is over, and one that lives keeps his', async () => {
  const dead = new SqlPlaces(database);
  await dead.take('m', 2);
  const giveBack = await places.take('m', 2);
  const waiting = places.take('m', 2);
  await expect(Promise.race([waiting, sleep(400).then(() => 'waits')])).resolves.toBe('waits');
  const over = `update pointsman.places set until = now() - interval '1 second'
    where holder = (select holder from pointsman.places where name = 'm' limit 1)`;
  await database.run([statement(over)]);
  (await waiting)();
  giveBack();
});

test('who gives up waiting leaves the queue, with his own reason', async () => {
  const giveBack = await places.take('full', 1);
  const abort = new AbortController();
  const waiting = places.take('full', 1, abort.signal);
  const behind = places.take('full', 1);
  abort.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
  giveBack();
  (await behind)();
});
