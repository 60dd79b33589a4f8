import { execFileSync } from 'node:child_process';
import type { RepoSetupResult } from '../../../src/contract';
import { EGRESS_NETWORK } from '../../../src/sandbox/docker/container';
import { SetupChains } from '../../../src/store/setup-chains';
import {
  act,
  folderOf,
  giveUp,
  PromptKeeper,
  projectOf,
  reach,
  readChain,
  removeFolders,
  sandboxOf,
  setUp,
  shell,
} from '../../support/set-up';
import { World } from '../../support/world';

const KEY = 'sk-peer-3f9c2b7a51';
const models = {
  walker: {
    turns: [
      shell('pwd; cat "it\'s here.txt"; echo to out; echo to err >&2; exit 3'),
      shell('false | head -1'),
      shell('cd /tmp; false; cd /opt && pwd'),
      shell("printf '%s' 'a\\b' | tee back; stat -c %s back"),
      act('set_env', { key: 'BASE', value: '/b' }),
      act('set_env', { key: 'BASEX', value: '$BASE/x:$BASEX' }),
      shell('echo "$BASEX"'),
      shell('echo begin; head -c 300000 /dev/zero | tr "\\0" x; echo; echo the end'),
      shell('setsid sleep 4322 & echo started; sleep 600'),
      shell(
        'for f in /proc/[0-9]*/cmdline; do tr "\\0" " " < $f; echo; done 2> /dev/null | grep -c "^sleep 4322" || true',
      ),
      giveUp(),
    ],
  },
};

let world: World;
let keeper: PromptKeeper;
let result: RepoSetupResult;
let pinned: RepoSetupResult[];
let commits: string[];
let limits: Record<string, unknown>;
beforeAll(async () => {
  const walker = { apiKeyEnv: 'PEER_KEY' };
  world = await World.start({ script: { models }, profiles: { walker }, env: { PEER_KEY: KEY }, workers: 0 });
  keeper = await PromptKeeper.start(() => world.rehearsal.url);
  world.writeConfig({ walker: { ...walker, baseUrl: keeper.url } });
  world.startWorker();
  await world.workerReady();
  const folder = folderOf({ ...projectOf('calc'), "it's here.txt": 'found\n' }, "a 'quoted' name; $(touch x)");
  const input = { roles: { agent: 'walker' }, experience: { mode: 'off' } };
  const odd = { workdir: "/srv/it's a dir", source: `dir:${folder}`, limits: { commandSeconds: 8 } };
  const handle = await world.begin('repoSetup', { ...input, ...odd, judge: false }, 'walker');
  await reach(handle, 1);
  limits = (await (await sandboxOf(world, 'walker')).inspect()).HostConfig as never;
  result = (await handle.result()) as RepoSetupResult;

  const repository = folderOf({ 'mark.py': 'NAME = "old"\n', 'setup.py': '' });
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', repository, '-c', 'user.name=t', '-c', 'user.email=t@t', ...words], {
      encoding: 'utf8',
    }).trim();
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'old');
  const old = git('rev-parse', 'HEAD');
  git('commit', '-qm', 'new', '--allow-empty');
  git('rm', '-q', 'mark.py');
  git('commit', '-qm', 'newer');
  commits = [old, git('rev-parse', 'HEAD')];
  pinned = [];
  for (const [at, commit] of commits.entries())
    pinned.push(
      await setUp(world, `pinned-${at}`, {
        ...input,
        source: `git+file://${repository}@${commit}`,
        limits: { steps: 1 },
      }),
    );
});
afterAll(async () => {
  await world?.close();
  await keeper?.close();
  removeFolders();
});

const told = async () => (await readChain(world, result.head)).told;

// There were none, on the host's network, as root with all its powers.
test('B12: a sandbox has limits of processes and memory, few powers, and is not on the network of the host', () => {
  expect(limits).toMatchObject({
    PidsLimit: 1024,
    Memory: 4096 * 2 ** 20,
    NetworkMode: EGRESS_NETWORK,
    CapDrop: ['ALL'],
  });
  expect(limits).toMatchObject({ Privileged: false, SecurityOpt: ['no-new-privileges'] });
});

// There addresses and paths went into shell text as they were.
test('B12: quotes, spaces and substitutions in sources and paths are names', async () => {
  expect((await told())[0]).toMatch(/^\/srv\/it's a dir\nfound\n/);
});

// There warnings on one stream hid the error on the other, and `| head` hid it altogether.
test('B12: both streams are seen with the exit code, and a failure inside of a pipe is one', async () => {
  const { steps } = await readChain(world, result.head);
  expect((await told())[0]).toContain('to out\nto err\n');
  expect(steps.slice(0, 2).map(({ observation }) => observation.exitCode)).toEqual([3, 1]);
});

// There only the first command of a list was guarded, backslashes were doubled, and $BASE was replaced inside of $BASEX.
test('B12: the directory lasts, text passes as it is, and a variable is only itself', async () => {
  const said = await told();
  expect(said[2]).toBe('/opt\n');
  expect(said[3]).toBe('a\\b3\n');
  expect(said[6]).toBe('/b/x:\n');
});

// There all output was in memory before it was cut, and a deadline killed the shell alone.
test('B12: a model is shown the ends of a long output, and a deadline ends the whole tree', async () => {
  const { steps } = await readChain(world, result.head);
  const said = await told();
  expect(said[7]).toMatch(/^begin\nx+[\s\S]*the end\n$/);
  const prompts = keeper.of('walker');
  expect(Math.max(...prompts.map(({ length }) => length))).toBeLessThan(40_000);
  const last = prompts.findLast((prompt) => prompt.includes('setsid sleep'))!;
  expect(last).toMatch(/characters left out/);
  expect(last).toContain('the end');
  expect(steps[8]!.observation).toMatchObject({ timedOutAfter: 8 });
  expect(said[8]).toContain('started');
  expect(said[9]).toBe('0\n');
});

// There every run cloned the newest commit, whatever was asked for.
test('B13: the revision that is asked for is the one that is set up and recorded', async () => {
  const surveys = await Promise.all(
    pinned.map(async ({ head }) => {
      const json = async (sha256: string) => JSON.parse((await world.blobs.get(sha256)).toString('utf8'));
      const { opening } = await new SetupChains(world.blobs).chain(head);
      return json((await json(opening.given.sha256)).survey.sha256);
    }),
  );
  expect(pinned.map(({ source }) => source.split('@').at(-1))).toEqual(commits);
  expect(pinned[0]!.sha256).not.toBe(pinned[1]!.sha256);
  expect(surveys.map(({ paths }) => paths.includes('mark.py'))).toEqual([true, false]);
});

// There the first characters of a key were printed.
test('B13: a key is in no log, no blob and no history', async () => {
  const { events } = await world.client.workflow.getHandle('walker').fetchHistory();
  expect(JSON.stringify(events)).not.toContain(KEY.slice(0, 8));
  expect(world.workerLog()).not.toContain(KEY.slice(0, 8));
  expect(() => execFileSync('grep', ['-rlaF', KEY.slice(0, 8), world.home], { encoding: 'utf8' })).toThrow();
});
