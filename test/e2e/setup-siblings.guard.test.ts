// A set-up's database once kept what a step had written to it after that step was rolled back: siblings were in no frame.
// Then what the tests wrote stayed there for the next look, and a rebuild met an empty one: three verdicts on three
// different databases. Now siblings are in every frame, go back after a run of tests, and are filled anew by the rebuild.

import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import type { RepoSetupResult } from '../../src/contract';
import { BASE_IMAGE } from '../../src/machine/image';
import { labelled, NOTHING } from '../support/chaos';
import {
  act,
  activitiesOf,
  folderOf,
  giveUp,
  reach,
  readChain,
  removeFolders,
  sandboxOf,
  setUp,
  shell,
  TESTS,
} from '../support/set-up';
import { World } from '../support/world';

/** A sibling that appends what it is sent to a file, and shows the file. */
const SERVER = `import http.server as h
class Notes(h.BaseHTTPRequestHandler):
    def do_PUT(self):
        open('/notes/note', 'ab').write(self.rfile.read(int(self.headers['Content-Length'])))
        self.send_response(200); self.end_headers()
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(open('/notes/note', 'rb').read())
h.HTTPServer(('', 8080), Notes).serve_forever()`;
const write = (word: string) =>
  `python3 -c "import urllib.request as u; u.urlopen(u.Request('http://notes:8080', b'${word} ', method='PUT'))"`;
const READ = `python3 -c "import urllib.request as u; print(u.urlopen('http://notes:8080').read().decode())"`;
const notes = {
  ...{ name: 'notes', kind: 'container', port: 8080 },
  start: `mkdir -p /notes; exec python3 -c "${SERVER}"`,
};
/** Databases declare a volume for their data, as this image does. */
const VOLUMED = 'pointsman/test-volumed:1';

const script = (service: object) => ({
  turns: [
    act('start_service', { service }),
    shell(write('before')),
    shell(`rm -rf /opt/none; ${write('after')}; ${READ}`),
    act('rollback'),
    shell(READ),
    shell('rm -rf /opt/none'),
    act('rollback', { frames: 3 }),
    shell(READ),
    giveUp(),
  ],
});
const rolledBack = { plain: script(notes), volumed: script({ ...notes, image: VOLUMED }) };
/** What it wrote before and after its newest frame wants the sibling, as does the service in the sandbox that came later. */
const loser = {
  turns: [
    act('start_service', { service: notes }),
    shell(write('before')),
    shell(`rm -rf /opt/none; ${write('after')}`),
    act('start_service', {
      service: { name: 'echo', port: 8081, start: `${READ} > /opt/read; exec python3 -m http.server 8081 -d /opt` },
    }),
    shell(`python3 -c "import urllib.request as u; u.urlretrieve('http://127.0.0.1:8081/read', '/opt/had')"`),
    shell(`sleep 8; cat /opt/had; ${READ}`),
    giveUp(),
  ],
};
/** Its tests write to the sibling, too, and hold as long as nobody else's did. */
const WRITING = {
  'setup.py': "from setuptools import setup\nsetup(name='x', version='1.0', py_modules=['x'])\n",
  'x.py': 'NAME = 1\n',
  'test_x.py': `import unittest
import urllib.request as u


class Notes(unittest.TestCase):
    def test_notes(self):
        u.urlopen(u.Request('http://notes:8080', b'test ', method='PUT'))
        self.assertEqual(u.urlopen('http://notes:8080').read(), b'one two test ')
`,
};
const verify = act('verify', { hint: TESTS });
const writer = {
  turns: [
    act('start_service', { service: notes }),
    shell(write('one')),
    verify,
    shell(`mkdir -p /opt/read; ${READ}`),
    shell(write('two')),
    verify,
  ],
};
const models = { ...rolledBack, loser, writer };

let world: World;
const docker = new Docker();
const results: Record<string, RepoSetupResult> = {};
beforeAll(async () => {
  const scratch = await docker.createContainer({ Image: BASE_IMAGE, Cmd: ['true'] });
  await scratch.commit({ repo: 'pointsman/test-volumed', tag: '1', changes: 'VOLUME /notes' });
  await scratch.remove();
  world = await World.start({
    script: { models },
    profiles: { plain: {}, volumed: {}, loser: {}, writer: {} },
    workers: 1,
    images: [VOLUMED],
  });
  const source = `dir:${folderOf({ 'setup.py': "from setuptools import setup\nsetup(name='x')\n" })}`;
  const run = async (agent: string) => {
    results[agent] = await setUp(world, agent, { source, roles: { agent }, experience: { mode: 'off' } });
  };
  const lose = async () => {
    await reach(world.client.workflow.getHandle('loser'), 5);
    await sleep(1_000);
    await (await sandboxOf(world, 'loser')).remove({ force: true });
  };
  const write = async () => {
    const more = { judge: true, reproduce: true, experience: { mode: 'off' } };
    results.writer = await setUp(world, 'writer', {
      ...{ source: `dir:${folderOf(WRITING)}`, roles: { agent: 'writer' } },
      ...more,
    });
  };
  await Promise.all([run('plain'), run('volumed'), run('loser'), lose(), write()]);
}, 300_000);
afterAll(async () => {
  await world?.close();
  await docker.getImage(VOLUMED).remove();
  removeFolders();
});

test.each(Object.keys(rolledBack))('B9: data of a sibling go back with the frame: %s', async (agent) => {
  const { told } = await readChain(world, results[agent]!.head);
  expect(told[2]).toBe('before after \n');
  expect(told[3]).toContain('is back at the frame "before turn 3"');
  expect(told[4]).toBe('before \n');
  expect(told[6]).toContain('is back at the frame "base"');
  expect(told[6]).toContain('the service notes was started after that frame');
  // Nobody of that name is left.
  expect(told[7]).toMatch(/Name or service not known|Temporary failure in name resolution/);
});

test('commands that are done again in another sandbox find the services up that were up before them', async () => {
  const { told, steps } = await readChain(world, results.loser!.head);
  expect(told[5]).toBe('before after \nbefore after \n');
  expect(steps[5]!.notes).toEqual([]);
  const made = await activitiesOf(world.client.workflow.getHandle('loser'));
  expect(made.filter((name) => name === 'rollbackSandbox')).toHaveLength(1);
});

test('what tests write to a sibling is none of what the next command finds: the agent, the court and the rebuild', async () => {
  const { told } = await readChain(world, results.writer!.head);
  expect(told[2]).toContain("b'one test ' != b'one two test '");
  expect(told[3]).toBe('one \n');
  expect(results.writer).toMatchObject({
    status: 'verified',
    tests: { passed: 1, failed: 0, errors: 0 },
    verdict: { verdict: 'not_guilty' },
    reproduced: true,
  });
});

test('siblings and their frames are gone with the run', async () => {
  expect(await labelled(`pointsman.scope=${await world.scope()}`)).toEqual(NOTHING);
});
