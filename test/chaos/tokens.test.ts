import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatasetResult, RolloutResult } from '../../src/contract';
import { dice } from '../support/chaos';
import { COUNTS, FULL, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

/** Turns of each rollout, `submit` included. */
const TURNS = 6;
const turns = Array.from({ length: TURNS - 1 }, (_, i) => ({
  thought: `Step ${i} of a run whose tokens are kept.`,
  tool: 'bash',
  args: { command: `echo ${i}; ls -a /testbed | head -${i + 2}` },
}));
const slipped = [...turns.slice(0, 2), { malformed: 'prose' }, ...turns.slice(2)];

interface Kind {
  readonly model: object;
  readonly profile?: object;
  /** What the script alone says must come of a rollout: calls with all their tokens, samples for reinforcement learning. */
  readonly answers: number;
  readonly samples: number;
  /** Samples of the format `tokens`, which trains no malformed reply. */
  readonly tokens: number;
  readonly withoutLogprobs?: number;
}

/** A model a kind of server, and of what breaks a sequence. */
const KINDS: Readonly<Record<string, Kind>> = {
  vllm: { model: { turns, tokens: { like: 'vllm' } }, profile: { stream: true }, answers: 6, samples: 1, tokens: 1 },
  // Its malformed reply is shown until it is mended, and then no more.
  sglang: {
    model: { turns: slipped, position: 'match', tokens: { like: 'sglang' } },
    profile: { stream: true },
    answers: 7,
    samples: 2,
    tokens: 2,
  },
  // Of three observations the first is left out, of four the first two.
  'sglang-meta': {
    model: { turns, tokens: { like: 'sglang-meta' } },
    profile: { view: { history: { kind: 'last_n_observations', n: 2 } } },
    answers: 6,
    samples: 4,
    tokens: 4,
  },
  strips: { model: { turns, tokens: { like: 'vllm', stripsThoughts: true } }, answers: 6, samples: 6, tokens: 6 },
  // The call without log-probabilities is in the prompt of the next one all the same.
  lossy: {
    model: { turns, tokens: { like: 'vllm', loses: [2] } },
    answers: 5,
    samples: 1,
    tokens: 1,
    withoutLogprobs: 1,
  },
};
const NAMES = Object.keys(KINDS);

let world: World;
beforeAll(async () => {
  world = await World.start({
    script: {
      models: Object.fromEntries(NAMES.map((name) => [name, { latencyMs: 150, ...KINDS[name]!.model }])),
    },
    profiles: Object.fromEntries(NAMES.map((name) => [name, { keepTokens: true, ...KINDS[name]!.profile }])),
  });
});
afterAll(async () => {
  await world?.close();
});

test(
  'sampled tokens are in every export as the server sent them, each once, whatever is killed',
  async () => {
    const { tokenRollouts: rollouts, tokenKills: kills } = COUNTS;
    const random = dice('tokens');
    const problem = await tinyProblem();
    const begun = Array.from({ length: rollouts }, (_, i) => ({ id: `sampled/${i}`, kind: NAMES[i % NAMES.length]! }));
    for (const { id, kind } of begun)
      await world.begin('rollout', { problem, student: kind, handOver: { never: true }, grade: false }, id);
    let worker: ChildProcess | undefined;
    // One that comes up while the server is away ends: whoever keeps services running starts another.
    const watch = setInterval(() => {
      if (worker && worker.exitCode !== null) worker = world.startWorker();
    }, 1_000);
    for (let kill = 0; kill < kills; kill++) {
      // On a busy machine a worker takes seconds to come up.
      await sleep(FULL ? 2_000 + random() * 8_000 : 400 + random() * 1_200);
      if (kill % 3 === 2) {
        await world.killServer();
        await sleep(random() * 500);
        await world.startServer();
      } else {
        worker = undefined;
        await world.killWorkers('SIGKILL');
        worker = world.startWorker();
      }
    }
    const results = (await Promise.all(
      begun.map(({ id }) => world.client.workflow.getHandle(id).result()),
    )) as RolloutResult[];
    clearInterval(watch);
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 'submitted'));

    const made = await exported(begun.map(({ id }) => id));
    const expected = (of: (kind: Kind) => number) => begun.reduce((sum, { kind }) => sum + of(KINDS[kind]!), 0);
    const sent = sentByServer();

    const held = (format: string) => made.result.files.find((file) => file.format === format)!.sampled!;
    const lost = expected(({ withoutLogprobs = 0 }) => withoutLogprobs);
    expect(held('skyrl').dropped).toEqual({ 'log-probabilities': lost });

    // NeMo Gym: a record a call.
    const entries = made.records('nemo-gym').map((entry) => ({
      rollout: String(entry.rollout_id),
      digest: digestOf(entry.prompt_token_ids, entry.generation_token_ids, entry.generation_log_probs),
    }));
    const digests = entries.map(({ digest }) => digest);
    expect(digests.filter((digest) => !sent.has(digest))).toEqual([]);
    expect(new Set(digests).size).toBe(digests.length);
    for (const { id, kind } of begun)
      expect([kind, entries.filter(({ rollout }) => rollout === id).length]).toEqual([kind, KINDS[kind]!.answers]);

    // The same calls, taken out of each other format.
    expect(made.records('skyrl').flatMap(callsInSkyrl).sort()).toEqual([...digests].sort());
    expect(made.records('verifiers').flatMap(callsInTrace).sort()).toEqual([...digests].sort());
    const turnsOf = (kind: Kind) => TURNS - (kind.withoutLogprobs ?? 0);
    const inAtif = made.records('atif').flatMap(callsInAtif);
    expect(inAtif.filter((digest) => !digests.includes(digest))).toEqual([]);
    expect(inAtif.length).toBe(expected(turnsOf));
    // Ids alone: a loss needs no log-probability.
    const ids = new Set(
      made
        .records('nemo-gym')
        .map((entry) => idsOf(entry.rollout_id, entry.prompt_token_ids, entry.generation_token_ids)),
    );
    const trained = made.records('tokens').flatMap(callsInTokens);
    expect(new Set(trained).size).toBe(trained.length);
    expect(trained.length).toBe(rollouts * TURNS);
    expect(trained.filter((each) => ids.has(each)).length).toBe(expected(turnsOf));

    // Prefix breaks are those that the script makes.
    expect(held('nemo-gym')).toMatchObject({
      rows: rollouts,
      answers: expected(({ answers }) => answers),
      samples: expected(({ samples }) => samples),
      breaks: expected(({ samples }) => samples - 1),
    });
    expect(held('tokens')).toMatchObject({
      rows: rollouts,
      tokenised: {},
      samples: expected(({ tokens }) => tokens),
      breaks: expected(({ tokens }) => tokens - 1),
    });
    expect(made.card).toContain('## Tokens as they were sampled');
    expect(made.card).toContain(`log-probabilities: ${lost}`);

    // Nobody judged them: no reward, and never 0.
    expect(made.records('nemo-gym').every(({ reward, valid }) => reward === null && valid === false)).toBe(true);
    figures('sampled tokens', {
      rollouts,
      kills,
      answersSent: sent.size,
      exported: digests.length,
      samples: held('nemo-gym').samples,
      breaks: held('nemo-gym').breaks,
      dropped: lost,
      bytesOfTokens: made.bytes,
    });
  },
  minutes(4, 45),
);

test('what a fork took over is trained where it was made: its records begin behind it', async () => {
  const input = { problem: await tinyProblem(), student: NAMES[0]!, handOver: { never: true }, grade: false };
  const fork = { run: 'sampled/0', step: 3 };
  await (await world.begin('rollout', { ...input, fork }, 'forked')).result();
  const made = await exported(['forked'], 'forked');
  const entries = made.records('nemo-gym');
  expect(entries.map(({ turn, parent_resolution }) => [turn, parent_resolution])).toEqual([
    [4, 'root'],
    [5, 'resolved'],
    [6, 'resolved'],
  ]);
  const own = entries.map((entry) =>
    digestOf(entry.prompt_token_ids, entry.generation_token_ids, entry.generation_log_probs),
  );
  expect(made.records('skyrl').flatMap(callsInSkyrl)).toEqual(own);
  expect(made.records('verifiers').flatMap(callsInTrace)).toEqual(own);
  const [document] = made.records('atif') as { steps: Fields[] }[];
  const copied = document!.steps
    .filter(({ source }) => source === 'agent')
    .map((step) => step.is_copied_context === true);
  expect(copied).toEqual([true, true, true, false, false, false]);
  // The other run's tokens are there as well: its chain names them.
  expect(callsInAtif(document!).slice(-3)).toEqual(own);
  expect(callsInAtif(document!).length).toBe(TURNS);
});

/** The runs as a data set in every format that holds tokens. */
async function exported(runs: readonly string[], name = 'sampled') {
  const input = {
    name,
    sources: [{ runs, method: 'rl' }],
    filters: { resolved: false, submitted: false, doubtful: false, identicalActions: 0, fileReads: 0 },
    train: { rl: ['student'] },
    view: { dialect: 'tools' },
    perInstance: null,
    deduplicate: false,
    maxTokens: 1_000_000,
    formats: ['tokens', 'nemo-gym', 'skyrl', 'verifiers', 'atif'],
    parquet: false,
  };
  const handle = await world.begin('dataset', input, `dataset/${name}`);
  const result = (await handle.result()) as DatasetResult;
  const read = (path: string) => readFileSync(join(result.folder, path), 'utf8');
  return {
    result,
    card: read('README.md'),
    bytes: result.files.reduce((sum, { bytes }) => sum + bytes, 0),
    records: (format: string) =>
      read(`train.${format}.jsonl`)
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Fields),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Digests of what was sampled for every answer that the server sent, whoever was still there to get it. */
function sentByServer(): Set<string> {
  const lines = readFileSync(join(world.home, 'model.log'), 'utf8').split('\n').filter(Boolean);
  const answered = lines
    .map((line) => JSON.parse(line) as { tokens?: string; fault: string | null })
    .filter(({ fault }) => fault === null);
  return new Set(answered.flatMap(({ tokens }) => tokens ?? []));
}

function digestOf(prompt: unknown, answer: unknown, logprobs: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([prompt, answer, logprobs]))
    .digest('hex');
}

/** Rollouts of one script have the same ids. */
function idsOf(rollout: unknown, prompt: unknown, answer: unknown): string {
  return digestOf([rollout, prompt], answer, null);
}

/** Stretches of a mask, from and to. */
function stretches(mask: readonly boolean[]): [number, number][] {
  const found: [number, number][] = [];
  mask.forEach((is, i) => {
    if (!is) return;
    if (mask[i - 1]) found.at(-1)![1] = i + 1;
    else found.push([i, i + 1]);
  });
  return found;
}

function callsInSkyrl(record: Fields): string[] {
  const prompts = record.prompt_token_ids as number[][];
  const steps = record.steps as unknown[][];
  return prompts.flatMap((prompt, i) => {
    const ids = (record.response_ids as number[][])[i]!;
    const logprobs = (record.rollout_logprobs as number[][])[i]!;
    // The mask of a rollout without a reward is empty: where the log-probabilities are says the same.
    expect((record.loss_masks as number[][])[i]!.every((loss) => loss === 0)).toBe(true);
    const calls = stretches(logprobs.map((logprob) => logprob !== 0));
    expect(calls.length).toBe(steps[i]!.length);
    return calls.map(([from, to]) =>
      digestOf([...prompt, ...ids.slice(0, from)], ids.slice(from, to), logprobs.slice(from, to)),
    );
  });
}

interface Node {
  readonly parent: number | null;
  readonly sampled: boolean;
  readonly token_ids: number[];
  readonly mask: boolean[];
  readonly logprobs: number[];
}

function callsInTrace({ nodes }: Fields): string[] {
  const all = nodes as Node[];
  const before = ({ parent }: Node): number[] =>
    parent === null ? [] : [...before(all[parent]!), ...all[parent]!.token_ids];
  return all
    .filter(({ sampled }) => sampled)
    .map((node) => {
      const own = node.mask.indexOf(true);
      const prompt = [...before(node), ...node.token_ids.slice(0, own)];
      return digestOf(prompt, node.token_ids.slice(own), node.logprobs);
    });
}

function callsInAtif({ steps }: Fields): string[] {
  return (steps as { metrics?: Fields }[]).flatMap(({ metrics }) =>
    metrics?.logprobs ? [digestOf(metrics.prompt_token_ids, metrics.completion_token_ids, metrics.logprobs)] : [],
  );
}

function callsInTokens({ input_ids, labels, source, metadata }: Fields): string[] {
  expect(source).toBe('sampled');
  const ids = input_ids as number[];
  return stretches((labels as number[]).map((label) => label !== -100)).map(([from, to]) =>
    idsOf((metadata as Fields).rollout_id, ids.slice(0, from), ids.slice(from, to)),
  );
}
