import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAsker } from '../../src/activities/ask';
import { Config } from '../../src/config';
import { ModelProfile } from '../../src/contract';
import type { Deps } from '../../src/deps';
import { requestHash } from '../../src/model';
import { closeStores, openStores } from '../../src/store';
import { answerOf } from '../store/ledger-answer';

const home = mkdtempSync(join(tmpdir(), 'pointsman-ask-'));
const stores = openStores({ config: Config.parse({}), home });
afterAll(async () => {
  await closeStores(stores);
  rmSync(home, { recursive: true, force: true });
});

/**
 * The answer was in the ledger, and the worker died (or the database went away) before it was booked: the retried activity
 * found it and returned, its reservation stood for ever, and a budget with room waited for a call that had ended.
 */
test('an answer that was recorded and not yet booked is booked by the attempt that finds it, once', async () => {
  const profile = ModelProfile.parse({
    provider: 'openai',
    model: 'm',
    view: { dialect: 'xml' },
    contextTokens: 1000,
    price: { input: 1, output: 1 },
  });
  const request = { messages: [{ role: 'user' as const, content: 'q' }] };
  await stores.budgets.reserve('b', 1, 'run/1/0', 0.9);
  await stores.ledger.record({ run: 'run', turn: 1, attempt: 0 }, requestHash(profile, request), answerOf('paid'));
  const ask = createAsker({ ...stores, env: {} } as unknown as Deps);
  const question = { run: 'run', turn: 1, attempt: 0, name: 'm', profile, request };
  for (let times = 0; times < 2; times++) {
    const { signal } = new AbortController();
    const answer = await ask({ ...question, budget: { name: 'b', capUsd: 1 }, signal });
    expect(answer.reply.content).toBe('paid');
  }
  expect(await stores.budgets.status('b')).toEqual({ spentUsd: 0.1, reservedUsd: 0, open: [] });
});
