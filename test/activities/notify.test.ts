import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createCampaignActivities } from '../../src/activities/campaign/campaign';
import { notify } from '../../src/activities/notify';
import { Config } from '../../src/config';
import type { Deps } from '../../src/deps';
import { Roots } from '../../src/roots';
import { openStores } from '../../src/store';
import { writeSampleCampaign } from '../support/sample-campaign';

const home = mkdtempSync(join(tmpdir(), 'pointsman-notify-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const NEWS = { text: 'c is complete', event: 'campaign_ended', id: 'c' } as const;

async function listener(status: number) {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request
      .on('data', (chunk) => (text += chunk))
      .on('end', () => {
        bodies.push(JSON.parse(text));
        response.writeHead(status).end();
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    bodies,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/secret`,
    close: () => server.close(),
  };
}

it('tells an address and a command, whose environment holds no key; what fails is said without the address', async () => {
  const [good, bad] = await Promise.all([listener(200), listener(500)]);
  const file = join(home, 'told.json');
  process.env.A_KEY = 'secret-key';
  const told = (urlEnv: string | undefined, command?: string[]) =>
    notify(Config.parse({ notify: { urlEnv, command } }), { HOOK: good.url, BAD: bad.url }, NEWS);
  expect(await told('HOOK', ['sh', '-c', `cat > ${file}; env >> ${file}`])).toEqual([]);
  expect(good.bodies).toEqual([NEWS]);
  const [line = '', ...env] = readFileSync(file, 'utf8').split(/(?<=\})/);
  expect(JSON.parse(line)).toEqual(NEWS);
  expect(env.join('')).not.toContain('secret-key');
  expect(await told('BAD', ['false'])).toEqual(['notify: BAD answered 500', 'notify: false ended with 1']);
  expect(await told('NOT_SET')).toEqual(['notify: NOT_SET is not set where the worker runs']);
  expect(await told(undefined, ['/no/such/program'])).toEqual([expect.stringContaining('ENOENT')]);
  expect(await told(undefined)).toEqual([]);
  for (const each of [good, bad]) each.close();
});

it('a campaign that ends tells what came of it, and ends all the same where nobody listens', async () => {
  const hook = await listener(200);
  const { rows } = await writeSampleCampaign(home, { rollouts: 4, kinds: ['good', 'wrong'] });
  const config = Config.parse({ notify: { urlEnv: 'HOOK', command: ['false'] } });
  const stores = openStores({ config, home });
  const deps = { ...stores, config, env: { HOOK: hook.url }, roots: Roots.any } as unknown as Deps;
  const pages = [await stores.blobs.put(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))];
  const methods = [...new Set(rows.map(({ method }) => method))].map((name) => ({ name, handOver: { at: 0 } }));
  const plan = { campaign: 'oec-9', methods } as never;
  const { concludeCampaign } = createCampaignActivities(deps);
  const input = { plan, instances: pages[0]!, pages, rest: null };
  await expect(new MockActivityEnvironment().run(concludeCampaign, input)).resolves.toMatchObject({ skipped: 0 });
  const resolved = rows.filter(({ result }) => result?.resolved).length;
  expect(hook.bodies).toEqual([
    expect.objectContaining({
      event: 'campaign_ended',
      id: 'oec-9',
      complete: true,
      rollouts: 4,
      resolved,
      text: expect.stringMatching(
        new RegExp(`^oec-9 is complete: 4 of 4 rollouts finished, ${resolved} resolved, \\$`),
      ),
    }),
  ]);
  hook.close();
});
