import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Config } from '../../../src/config';
import { type Database, statement } from '../../../src/store/database';
import { experienceOf } from '../../../src/store/experience';
import { SqlBudgets } from '../../../src/store/shared/budgets';
import { SqlDocuments } from '../../../src/store/shared/documents';
import { SqlLedger, sqlEmbeddings, sqlScores } from '../../../src/store/shared/ledger';
import { openDatabase } from '../../../src/store/shared/rows';
import { SqlTimings } from '../../../src/store/shared/timings';
import { debianPostgres, type RunningPostgres } from '../../support/postgres';
import { budgetProcesses, budgetsConformance } from '../budgets';
import { documentsConformance, timingsConformance } from '../documents';
import { PG_CONFIG } from '../experience/support/units';
import { answerOf } from '../ledger-answer';
import { embeddingLedgerConformance, ledgerConformance } from '../ledgers';

const TABLES = ['answers', 'paid_answers', 'timings', 'documents', 'places', 'budgets', 'budget_calls'];
let postgres: RunningPostgres;
let url: string;
/** Of two hosts, and which of them is asked next. */
let hosts: Database[];
let asked = 0;
const another = () => hosts[asked++ % hosts.length]!;

beforeAll(async () => {
  postgres = await debianPostgres();
  url = await postgres.database('rows');
  hosts = [openDatabase('URL', { URL: url }), openDatabase('URL', { URL: url })];
}, 600_000);
beforeEach(async () => {
  await another().run([statement(`truncate ${TABLES.map((name) => `pointsman.${name}`).join(', ')}`)]);
});
afterAll(async () => {
  for (const each of hosts ?? []) await each.close();
  await postgres?.stop();
});

describe('budgets in a database', () => {
  budgetsConformance(() => new SqlBudgets(another()));
  budgetProcesses(
    () => url,
    () => new SqlBudgets(another()),
    async (who) => {
      const sessions = statement('select 1 from pg_stat_activity where application_name = $1', who);
      while ((await another().run([sessions]))[0]!.length > 0) await sleep(20);
    },
  );
});
describe('a ledger in a database', () => {
  ledgerConformance(() => new SqlLedger(another()));
  embeddingLedgerConformance(() => sqlEmbeddings(another()));
});
describe('documents in a database', () => {
  documentsConformance(() => new SqlDocuments(another(), 'reviews'));
  timingsConformance(() => new SqlTimings(another()));
});

test('documents of one room are none of another, and scores none of embeddings', async () => {
  await new SqlDocuments(another(), 'reviews').put('n', 'review');
  expect(await new SqlDocuments(another(), 'campaigns').get('n')).toBeUndefined();
  const score = { logprobs: [-1], texts: ['a\0b\ud800'], model: 'm', tokens: 1, costUsd: 0 };
  await sqlScores(another()).record('ab', score);
  expect(await sqlScores(another()).found('ab')).toEqual(score);
  expect(await sqlEmbeddings(another()).found('ab')).toBeUndefined();
});

test('to the cent: of two hosts that race for a cap, one has the last cent', async () => {
  const clients = hosts.map((each) => new SqlBudgets(each));
  const verdicts = await Promise.all(
    Array.from({ length: 130 }, (_, at) => clients[at % 2]!.tryReserve('cents', 1, `c${at}`, 0.01)),
  );
  expect(verdicts.filter((verdict) => verdict === 'granted')).toHaveLength(100);
  await Promise.all(
    verdicts.map((verdict, at) => verdict === 'granted' && clients[at % 2]!.settle('cents', `c${at}`, 0.01)),
  );
  expect(await clients[0]!.status('cents')).toEqual({ spentUsd: 1, reservedUsd: 0, open: [] });
  expect(await clients[1]!.tryReserve('cents', 1, 'late', 0.01)).toBe('spent');
});

test('many workers that start at once make the tables once', async () => {
  const fresh = await postgres.database('fresh');
  const workers = Array.from({ length: 50 }, () => openDatabase('URL', { URL: fresh }));
  await Promise.all(workers.map((each, at) => new SqlDocuments(each, 'reviews').put(`n${at}`, 'text')));
  expect(await new SqlDocuments(workers[0]!, 'reviews').names()).toHaveLength(50);
  await Promise.all(workers.map((each) => each.close()));
});

test('connections that break in the middle of movements lose none and book none twice', async () => {
  const budget = new SqlBudgets(another());
  const breaker = new Client({ connectionString: url });
  await breaker.connect();
  let breaking = true;
  const breaks = (async () => {
    while (breaking) {
      await breaker.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
      );
      await sleep(15);
    }
  })();
  const again = async (movement: () => Promise<unknown>): Promise<void> => {
    // As Temporal does with an activity.
    await movement().catch((error: { code?: string }) => {
      expect(error.code).toBe('Unavailable');
      return again(movement);
    });
  };
  await Promise.all(
    Array.from({ length: 8 }, async (_, caller) => {
      for (let n = 0; n < 10; n++) {
        const call = `${caller}-${n}`;
        await again(() => budget.tryReserve('b', 100, call, 0.5));
        await again(() => (n % 5 === 4 ? budget.release('b', call) : budget.settle('b', call, 0.25)));
      }
    }),
  );
  breaking = false;
  await breaks;
  await breaker.end();
  expect(await budget.status('b')).toEqual({ spentUsd: 8 * 8 * 0.25, reservedUsd: 0, open: [] });
});

test('a server that was restarted has what it said it has, and is waited for', async () => {
  const ledger = new SqlLedger(another());
  const key = { run: 'r', turn: 1, attempt: 0 };
  await ledger.record(key, 'h', answerOf('paid'));
  const restarted = postgres.restart(300);
  const standing = ledger.record(key, 'h', answerOf('again'));
  await restarted;
  expect((await standing).reply.content).toBe('paid');
});

test('experience is in the database that hosts share, unless it has one of its own', async () => {
  const config = Config.parse({ store: { shared: { database: 'URL', s3: { bucket: 'runs' } } } });
  const [one, another] = ['a', 'b'].map((name) => experienceOf({ config, home: `/nowhere/${name}` }, { URL: url }));
  await one!.import([PG_CONFIG]);
  expect((await another!.show(PG_CONFIG.id)).unit.id).toBe(PG_CONFIG.id);
  await Promise.all([one!.close(), another!.close()]);
  const own = Config.parse({ store: { ...config.store, experience: 'OWN_URL' } });
  const store = experienceOf({ config: own, home: '/nowhere' }, { URL: url });
  await expect(store.list()).rejects.toThrow('store.experience: environment variable OWN_URL is not set');
});

test('no server is Unavailable and says which field names it; no variable is InvalidInput', async () => {
  const nowhere = openDatabase('URL', { URL: `postgresql:///none?host=/tmp/${randomUUID()}` });
  const tried = new SqlLedger(nowhere).answered({ run: 'r', turn: 1, attempt: 0 }, 'h');
  await expect(tried).rejects.toMatchObject({
    code: 'Unavailable',
    hint: expect.stringContaining('store.shared.database'),
  });
  await nowhere.close();
  expect(() => openDatabase('POINTSMAN_NO_URL', {})).toThrow('POINTSMAN_NO_URL is not set');
});
