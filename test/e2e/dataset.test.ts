import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { Cli } from '../../src/cli/context';
import type { Audit } from '../../src/cli/dataset/audit';
import { checkFile } from '../../src/cli/dataset/check';
import { HomeSource } from '../../src/cli/view/source';
import {
  type DatasetCheck,
  type DatasetInput,
  DatasetManifest,
  DatasetOrigin,
  type DatasetProgress,
  type DatasetResult,
  DroppedRow,
  type Funnel,
  type LossReason,
  View,
} from '../../src/contract';
import { runCli } from '../cli/run-cli';
import { byteTokenizer, CHATML_TOOLS } from '../dataset/byte-tokenizer';
import { inFull } from '../support/counts';
import { SAMPLE_KINDS, type SampleCampaign, writeSampleCampaign } from '../support/sample-campaign';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const bash = (command: string) => ({ thought: command, tool: 'bash', args: { command } });
const fix = { command: 'str_replace', path: '/testbed/src/calc.py', old_str: 'a - b', new_str: 'a + b' };
const script = {
  models: {
    student: { dialect: 'xml', turns: ['ls', 'pwd', 'cat README.md'].map(bash), end: 'submit' },
    expert: {
      position: 'match',
      turns: [bash('cat src/calc.py'), { thought: 'Fix.', tool: 'str_replace_editor', args: fix }],
      end: 'submit',
    },
  },
};
const profiles = { student: { view: { dialect: 'xml' } }, expert: { price: { input: 3, output: 15 } } };

let world: World;
let sample: SampleCampaign;

beforeAll(async () => {
  world = await World.start({ script, profiles });
  sample = await writeSampleCampaign(world.home, { rollouts: 132, steps: [10, 30] });
}, 240_000);
afterAll(async () => {
  await world?.close();
});

type Given = Omit<Partial<DatasetInput>, 'filters'> & { filters?: object };

const begin = (name: string, input: Given = {}) =>
  world.begin('dataset', { name, sources: [{ campaign: sample.campaign }], ...input }, `dataset/${name}`);
const build = async (name: string, input: Given = {}) => (await (await begin(name, input)).result()) as DatasetResult;

function lines<T>(result: DatasetResult, file: string, read: (value: unknown) => T): T[] {
  return readFileSync(join(result.folder, file), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => read(JSON.parse(line)));
}

/** Every file of a folder by its path, as a digest of its bytes. */
function bytesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ]),
  );
}

const count = (funnel: Funnel | undefined, stage: string) => funnel?.stages.find((each) => each.stage === stage)?.count;

test('a campaign becomes a data set: each row is kept or lost as it was made to be, and the card says so', async () => {
  const result = await build('plain', { perInstance: null, deduplicate: false, validation: 0.2 });
  const dropped = new Map(
    lines(result, 'dropped.jsonl', (value) => DroppedRow.parse(value)).map((row) => [row.id, row]),
  );
  const origins = lines(result, 'rows.jsonl', (value) => DatasetOrigin.parse(value));
  const kept = new Set(origins.map(({ id }) => id));
  for (const { id, method } of sample.rows) {
    const { lost } = SAMPLE_KINDS[sample.kinds.get(id)!];
    const later: readonly (LossReason | null)[] = [null, 'unfaithful'];
    // Nothing of a student alone is trained, unless the input says so.
    const expected = method === 'on-policy' && later.includes(lost) ? 'nothing_trained' : lost;
    expect([id, dropped.get(id)?.reason ?? null, kept.has(id)]).toEqual([id, expected, expected === null]);
  }
  expect(dropped.size + kept.size).toBe(sample.rows.length);
  expect([...dropped.values()].every(({ detail }) => detail !== '')).toBe(true);

  for (const { method, funnel } of result.funnels) {
    expect(count(funnel, 'planned')).toBe(sample.rows.filter((row) => row.method === method).length);
    expect(count(funnel, 'kept')).toBe(origins.filter((row) => row.method === method).length);
  }
  const oec = sample.rows.filter(({ method }) => method === 'oec');
  const repetitive = oec.filter(({ id }) => ['loops', 'reads'].includes(sample.kinds.get(id)!)).length;
  const passed = count(result.funnels.find(({ method }) => method === 'oec')?.funnel, 'passed');
  expect(result.repetition.find(({ method }) => method === 'oec')).toEqual({
    method: 'oec',
    passed,
    dropped: repetitive,
    rate: repetitive / passed!,
  });

  expect(result.rows).toBe(kept.size);
  const validation = new Set(origins.filter(({ split }) => split === 'validation').map(({ instance }) => instance));
  expect(origins.some(({ split, instance }) => split === 'train' && validation.has(instance))).toBe(false);
  expect(validation.size).toBe(3);

  const card = readFileSync(join(result.folder, 'README.md'), 'utf8');
  const front = parse(card.split('---\n')[1]!) as {
    configs: { config_name: string; data_files: { path: string }[] }[];
  };
  for (const { data_files } of front.configs)
    for (const { path } of data_files) expect(statSync(join(result.folder, path)).size).toBeGreaterThan(0);
  expect(front.configs.map(({ config_name }) => config_name)).toEqual(['universal', 'openai', 'trl', 'axolotl']);
  expect(card).toContain('8.46 %');
  expect(card).toContain('**Rehearsal.**');
}, 180_000);

test('every file that is written passes the check, and the manifest knows its bytes', async () => {
  const formats = [
    'universal',
    'openai',
    'trl',
    'axolotl',
    'swesmith-xml',
    'swesmith-ticks',
    'swesmith-tool',
    'sharegpt',
    'sharegpt-turns',
    'traj',
    'atif',
  ] as const;
  const result = await build('formats', { formats: [...formats] });
  const manifest = DatasetManifest.parse(JSON.parse(readFileSync(join(result.folder, 'manifest.json'), 'utf8')));
  const bytes = bytesOf(result.folder);
  for (const { path, sha256 } of manifest.files)
    if (!path.endsWith('/')) expect([path, bytes[path]]).toEqual([path, sha256]);
  for (const { path, rows, format } of result.files) {
    expect(rows).toBeGreaterThan(0);
    if (path.endsWith('/')) continue;
    const check = await checkFile(join(result.folder, path));
    expect([path, check.problems]).toEqual([path, []]);
    if (format === 'universal')
      expect(check).toMatchObject({
        rows: result.rows,
        turns: result.turns,
        trainedTurns: result.trainedTurns,
        expertTurns: result.trainedTurns,
      });
    if (format === 'universal' && path.endsWith('.jsonl')) await compareWithSteps(join(result.folder, path), check);
  }
  expect(new Set(result.files.map(({ format }) => format))).toEqual(new Set(formats));
}, 180_000);

/** Where the steps are at hand, a file cannot give a student's turn out as the expert's. */
async function compareWithSteps(file: string, { turns }: DatasetCheck): Promise<void> {
  expect(await checkFile(file, {}, world.blobs)).toMatchObject({ proven: turns, problems: [] });
  const forged = join(world.home, 'forged.universal.jsonl');
  const student = /"author":"student"/;
  const [first, ...rest] = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => student.test(line));
  writeFileSync(forged, [first!.replace(student, '"author":"expert"'), ...rest].join('\n'));
  expect((await checkFile(forged, {}, world.blobs)).problems).toContainEqual(
    expect.stringMatching(/:1: turn 1: expected student, who made step [0-9a-f]{12}…, found expert/),
  );
}

test('mixtures, extra rows and the student’s own turns', async () => {
  const extra = join(world.home, 'extra.jsonl');
  const row = (n: number) => ({
    messages: [
      { role: 'user', content: `Say ${n}.` },
      { role: 'assistant', content: `${n}` },
    ],
  });
  writeFileSync(extra, Array.from({ length: 40 }, (_, n) => `${JSON.stringify(row(n % 30))}\n`).join(''));
  const mixed = await build('mixed', {
    extra: [{ name: 'sums', path: extra, licence: 'CC0-1.0' }],
    mixture: { ratio: { oec: 1, bc: 1, sums: 2 } },
    perInstance: null,
  });
  const rows = Object.fromEntries(mixed.mixture.map(({ name, rows: n }) => [name, n]));
  expect(rows.oec).toBe(rows.bc);
  expect(rows.sums).toBe(2 * rows.oec!);
  const alone = await build('alone', {
    train: { 'on-policy': ['student'] },
    mixture: { counts: { 'on-policy': 100 } },
  });
  expect(alone.rows).toBeGreaterThan(0);
  expect(alone.mixture).toEqual([{ name: 'on-policy', rows: alone.rows }]);
  expect(alone.trainedTurns).toBe(alone.turns);
}, 180_000);

inFull(
  'a worker that is killed while it works leaves the same bytes, and no draft',
  async () => {
    const formats = ['universal', 'trl', 'traj', 'sharegpt-turns'] as const;
    const calm = await build('killed', { formats: [...formats] });
    const bytes = bytesOf(calm.folder);
    const handle = await begin('killed', { formats: [...formats] });
    for (let kills = 0; kills < 3; kills++) {
      await sleep(700 + 900 * kills);
      await world.killWorkers('SIGKILL');
      world.startWorker();
      await world.workerReady();
    }
    const again = (await handle.result()) as DatasetResult;
    expect({ ...again, id: '' }).toEqual({ ...calm, id: '' });
    expect(bytesOf(again.folder)).toEqual(bytes);
    expect(readdirSync(join(world.home, 'datasets', '.drafts'))).toEqual([]);
  },
  300_000,
);

test('ids and labels of a tokenizer, whose digest the manifest keeps; rows that are too long are left out', async () => {
  const folder = join(world.home, 'tokenizer');
  mkdirSync(folder);
  const { tokenizer, config } = byteTokenizer(
    'def value_1 = 1\nassert value_1 == 2\n'.repeat(20),
    60,
    undefined,
    CHATML_TOOLS,
  );
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
  const result = await build('tokens', {
    formats: ['tokens'],
    tokenizer: folder,
    maxTokens: 20_000,
    perInstance: null,
  });
  const manifest = DatasetManifest.parse(JSON.parse(readFileSync(join(result.folder, 'manifest.json'), 'utf8')));
  expect(manifest.tokenizer).toMatch(/^[0-9a-f]{64}$/);
  const check = await checkFile(join(result.folder, 'train.tokens.jsonl'), { maxTokens: 20_000, tokenizer: folder });
  expect(check).toMatchObject({ rows: result.rows, trainedTurns: result.trainedTurns, problems: [] });
  const rows = lines(result, 'train.tokens.jsonl', (value) => value as { input_ids: number[] });
  expect(rows.reduce((sum, { input_ids }) => sum + input_ids.length, 0)).toBe(result.tokens);
  const dropped = lines(result, 'dropped.jsonl', (value) => DroppedRow.parse(value));
  expect(dropped.filter(({ reason }) => reason === 'too_long').length).toBeGreaterThan(0);
}, 180_000);

test('a chat template that does not show calls is named before the building, and refused where nothing else is asked for', async () => {
  const folder = join(world.home, 'silent');
  mkdirSync(folder);
  const { tokenizer, config } = byteTokenizer('def value_1 = 1\n', 20);
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
  const view = View.parse({ dialect: 'tools' });
  const result = await build('silent', { formats: ['universal', 'tokens'], tokenizer: folder, view });
  expect(result.template?.[0]).toMatch(/of the first \d+ rows cannot be masked: .*the name of the call/);
  const left = result.files.find(({ path }) => path === 'train.tokens.jsonl');
  expect(left).toMatchObject({ rows: 0, left: [{ reason: 'template_swallows', count: result.rows }] });
  const card = readFileSync(join(result.folder, 'README.md'), 'utf8');
  expect(card).toMatch(/## Chat template\n[\s\S]*cannot be masked/);
  expect(card).toMatch(/`train\.tokens\.jsonl` lacks \d+ \(template swallows\)/);
  const alone = await build('silent-alone', { formats: ['tokens'], tokenizer: folder, view }).catch(
    (error: unknown) => error,
  );
  expect(JSON.stringify(alone, ['message', 'cause'])).toMatch(/tokens: \d+ of the first \d+ rows cannot be masked/);
});

test('a data set without a row is made all the same, and says so', async () => {
  const never = sample.rows.filter(({ outcome }) => outcome === 'skipped');
  const file = join(world.home, 'skipped.jsonl');
  writeFileSync(file, never.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const result = await build('empty', { sources: [{ rollouts: file }], view: 'student' });
  expect(result).toMatchObject({ rows: 0, turns: 0, tokens: 0, mixture: [] });
  expect(result.funnels.every(({ funnel }) => count(funnel, 'started') === 0)).toBe(true);
  expect(readFileSync(join(result.folder, 'README.md'), 'utf8')).toContain('**Empty.**');
  expect(readFileSync(join(result.folder, 'train.universal.jsonl'), 'utf8')).toBe('');
});

test('what is wrong with an input is refused before anything is judged', async () => {
  const refusal = async (name: string, input: Given) => {
    const error = (await build(name, input).catch((thrown: unknown) => thrown)) as {
      cause?: { cause?: Error; message?: string };
    };
    return String(error.cause?.cause?.message ?? error.cause?.message);
  };
  expect(await refusal('typo', { mixture: { ratio: { oecs: 1, bc: 1 } } })).toMatch(/mixture: .*did you mean "oec"/);
  expect(await refusal('train', { train: { onpolicy: ['student'] } })).toMatch(/train: .*did you mean "on-policy"/);
  expect(await refusal('view', { view: 'studnt' })).toMatch(/studnt/);
  expect(await refusal('tokens', { formats: ['tokens'] })).toMatch(/tokenizer/);
  expect(await refusal('folder', { tokenizer: join(world.home, 'nowhere') })).toMatch(/tokenizer: .*tokenizer.json/);
  expect(await refusal('source', { sources: [{ campaign: 'campaign/smple' }] })).toMatch(
    /did you mean "campaign\/sample"/,
  );
  expect(await refusal('extra', { extra: [{ name: 'x', path: join(world.home, 'nowhere.jsonl') }] })).toMatch(
    /extra.x: .*nowhere/,
  );
});

test('it can be asked where it is, and stopped', async () => {
  const handle = await begin('stopped', { formats: ['universal', 'openai', 'trl', 'axolotl', 'traj', 'atif'] });
  let seen: DatasetProgress | undefined;
  for (let waited = 0; waited < 30_000 && !seen?.rows; waited += 50) {
    seen = await handle.query<DatasetProgress>('progress').catch(() => undefined);
    if (seen?.rows) break;
    await sleep(50);
  }
  expect(seen).toMatchObject({ rows: 132 });
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow();
  expect(readdirSync(join(world.home, 'datasets')).filter((name) => name.startsWith('stopped'))).toEqual([]);
  expect(readdirSync(join(world.home, 'datasets', '.drafts'))).toEqual([]);
});

const cli = async (...args: string[]) => {
  const named = ['POINTSMAN_HOME', 'POINTSMAN_CONFIG', 'POINTSMAN_QUEUE', 'TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE'];
  const env = Object.fromEntries(named.map((name) => [name, world.env[name]!]));
  return runCli(args, { env });
};

/** The viewer's source as `view --dataset NAME` makes it. */
function viewer(dataset: string, address: string): { source: HomeSource; cli: Cli } {
  const { TEMPORAL_NAMESPACE } = world.env;
  Object.assign(process.env, { POINTSMAN_HOME: world.home, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE });
  const opened = new Cli();
  return { cli: opened, source: new HomeSource(opened, { campaigns: [], runs: [], setups: [], dataset }) };
}

test('an audit walks from a row to the answers of the models, and notices a byte that was changed', async () => {
  const rollout = {
    problem: await tinyProblem(),
    student: 'student',
    expert: 'expert',
    handOver: { at: 2 },
    grade: false,
  };
  await (await world.begin('rollout', rollout, 'audited')).result();
  const result = await build('audit', {
    sources: [{ runs: ['audited'], method: 'oec' }],
    filters: { resolved: false },
  });
  expect(result).toMatchObject({ rows: 1, turns: 5, trainedTurns: 3 });

  // A rollout that was started alone is known to the server, not to a campaign.
  const { source, cli: opened } = viewer('audit', world.env.TEMPORAL_ADDRESS!);
  const { runs, notes } = await source.list();
  expect(notes).toEqual([]);
  expect(runs).toEqual([expect.objectContaining({ id: 'audited', dataset: { name: 'audit', detail: null } })]);
  const { turns } = await source.run('audited');
  expect(turns.filter(({ trained }) => trained).map(({ turn }) => turn)).toEqual([3, 4, 5]);
  await opened.close();
  const away = await viewer('audit', '127.0.0.1:1').source.list();
  expect([away.runs, away.notes]).toEqual([[], ['1 of 1 rows of audit are of rollouts that are no longer here.']]);

  const read = async () => {
    const { code, stdout, stderr } = await cli('--json', 'dataset', 'audit', 'audit', 'audited');
    return { code, stderr, audit: JSON.parse(stdout) as Audit };
  };
  const { code, audit } = await read();
  expect([code, audit.problems]).toEqual([0, []]);
  expect(audit.turns.map(({ turn, author }) => [turn, author])).toEqual([3, 4, 5].map((turn) => [turn, 'expert']));
  const { events } = await world.client.workflow.getHandle('audited').fetchHistory();
  for (const { event, turnBlob } of audit.turns) {
    const named = events?.find(({ eventId }) => Number(eventId) === event?.eventId);
    const payload = named?.activityTaskCompletedEventAttributes?.result?.payloads?.[0]?.data;
    expect(JSON.parse(Buffer.from(payload ?? []).toString()).turn).toBe(turnBlob);
  }
  expect(audit.verified).toEqual({ steps: 5, observations: 5 });
  expect(audit.unknown).toEqual(['no campaign kept the problem of this row']);

  const { steps } = await world.transcripts.chain(audit.row.head!);
  const blob = world.blobs.addressOf(steps[1]!.observation.text.sha256);
  const bytes = readFileSync(blob);
  writeFileSync(blob, Buffer.concat([Buffer.from('X'), bytes.subarray(1)]));
  const tampered = await read();
  writeFileSync(blob, bytes);
  expect(tampered.code).toBe(1);
  expect(tampered.audit.problems).toEqual([
    expect.stringMatching(/^observation of turn 2: expected bytes with sha256/),
  ]);

  const file = join(result.folder, 'train.universal.jsonl');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(`"step":"${audit.turns[0]!.step}"`, `"step":"${'0'.repeat(64)}"`));
  const swapped = await read();
  writeFileSync(file, text);
  expect(swapped.audit.problems.join('\n')).toMatch(
    /the file does not train step .*\n.*the file trains step 000000000000/,
  );
}, 180_000);

test('the command line builds, lists, shows, checks and audits', async () => {
  const built = await cli(
    'dataset',
    'build',
    '--name',
    'by-hand',
    '--campaign',
    sample.campaign,
    '--mixture',
    'oec:bc=1:1',
    '--format',
    'universal',
    'trl',
    '--watch',
  );
  expect([built.code, built.stderr]).toEqual([0, expect.stringContaining('by hand: temporal workflow start')]);
  expect(built.stdout).toMatch(/rows: bc \d+, oec \d+/);
  const folder = join(world.home, 'datasets', 'by-hand');
  expect(built.stdout).toContain(folder);
  const listed = JSON.parse((await cli('--json', 'dataset', 'list')).stdout) as { datasets: { name: string }[] };
  expect(listed.datasets.map(({ name }) => name)).toContain('by-hand');
  const shown = await cli('dataset', 'show', 'by-hand', '--verify');
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('every file is as it was written')]);
  const file = join(folder, 'train.universal.jsonl');
  const checked = await cli('--json', 'dataset', 'check', file);
  const check = JSON.parse(checked.stdout) as DatasetCheck;
  expect([checked.code, Object.keys(check).sort()]).toEqual([
    0,
    ['expertTurns', 'format', 'mask', 'problems', 'rows', 'trainedTurns', 'turns'],
  ]);
  expect(check.expertTurns).toBe(check.trainedTurns);

  // A file whose mask is wrong by one turn.
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(
      '"train":false,"weight":0,"loss":false,"loss_weight":0',
      '"train":true,"weight":1,"loss":true,"loss_weight":1',
    ),
  );
  const wrong = await cli('--json', 'dataset', 'check', file);
  expect(wrong.code).toBe(1);
  expect((JSON.parse(wrong.stdout) as DatasetCheck).problems.join()).toMatch(/student/);
  expect((await cli('dataset', 'show', 'by-hand', '--verify')).code).toBe(1);
  const audit = await cli('dataset', 'audit', 'by-hand', '1');
  expect(audit.code).toBe(1);
  expect(audit.stdout).toContain('train.universal.jsonl: expected sha256');
  expect((await cli('dataset', 'show', 'by-hnd')).stderr).toContain('did you mean "by-hand"?');
  expect((await cli('dataset', 'build', '--name', 'x', '--mixture', 'oec')).stderr).toContain('expected a ratio');
}, 240_000);

test('the viewer shows what a data set trains of each rollout, and why it does not have one', async () => {
  const result = await build('viewed', { train: { 'on-policy': ['student'] } });
  const dropped = lines(result, 'dropped.jsonl', (value) => DroppedRow.parse(value));
  const origins = lines(result, 'rows.jsonl', (value) => DatasetOrigin.parse(value));
  const { source } = viewer('viewed', '127.0.0.1:1');
  const { runs } = await source.list();
  expect(runs.map(({ id }) => id).sort()).toEqual(sample.rows.map(({ id }) => id).sort());
  const shown = new Map(runs.map((line) => [line.id, line]));
  for (const { id, reason, detail } of dropped)
    expect(shown.get(id)).toMatchObject({ loss: reason, dataset: { name: 'viewed', detail } });
  for (const { id } of origins) expect(shown.get(id)).toMatchObject({ loss: null, dataset: { name: 'viewed' } });

  const trained = async (id: string) => {
    const { turns } = await source.run(id);
    return turns.filter((turn) => turn.trained).map(({ turn }) => turn);
  };
  const student = origins.find(({ method }) => method === 'on-policy')!;
  expect(student.trained.length).toBe(student.turns);
  for (const origin of [student, ...origins.slice(0, 5)]) expect(await trained(origin.id)).toEqual(origin.trained);
  const lost = dropped.find(({ reason }) => reason === 'tests_failed')!;
  expect(await trained(lost.id)).toEqual([]);
});
