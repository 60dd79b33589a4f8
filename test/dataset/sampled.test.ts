import fc from 'fast-check';
import { GradeResult, type RolloutRow } from '../../src/contract';
import { createChatTokenizer } from '../../src/dataset/chat-tokenizer';
import { checkRecords } from '../../src/dataset/check';
import { EXPORTERS, type ExportContext, type LinesExporter } from '../../src/dataset/exporters';
import { modelCalls, type SampledCall } from '../../src/dataset/model-calls';
import type { DatasetRow, TrajectoryCall } from '../../src/dataset/row';
import { tokenize } from '../../src/dataset/tokens';
import { validityOf } from '../../src/dataset/validity';
import { reply, stepOf, turnOf } from '../rollout/sample';
import { CONTEXT, rowOf, runOf, sampledCalls } from './any-row';
import { byteTokenizer, CHATML_TOOLS } from './byte-tokenizer';
import { anyRows } from './sample-rows';

type Fields = Record<string, unknown>;
const exported = (
  format: 'tokens' | 'atif' | 'nemo-gym' | 'skyrl' | 'verifiers',
  row: DatasetRow,
  context: ExportContext = CONTEXT,
) => (EXPORTERS[format] as LinesExporter).export(row, context);
const withCalls = (row: DatasetRow, calls: readonly TrajectoryCall[]): DatasetRow => ({
  ...row,
  trajectory: { ...row.trajectory!, calls },
});

/** A row whose tokens are those that this tokenizer gives, as a server with it would have sampled them. */
function sampledWith(
  tokenizer: NonNullable<ExportContext['tokenizer']>,
  row: DatasetRow,
  change: (answer: number[], i: number) => number[] = (answer) => answer,
): DatasetRow {
  const { ids, spans } = tokenize(
    { ...row.conversation, turns: row.conversation.turns.map((turn) => ({ ...turn, trained: true })) },
    tokenizer,
  );
  const calls = modelCalls(row.trajectory!.transcript).map((call, i): TrajectoryCall => {
    const { start, end } = spans[i]!;
    const answer = change(ids.slice(start, end), i);
    return { ...call, kept: {}, tokens: { prompt: ids.slice(0, start), answer, logprobs: answer.map(() => -1) } };
  });
  return withCalls(row, calls);
}

describe('tokens', () => {
  const row = () => runOf(['student', 'expert', 'student', 'expert'], { dialect: 'tools' });

  test('labels are the ids that the trained author sampled, and the text gives the same where nothing drifts', async () => {
    const tokenizer = await createChatTokenizer(byteTokenizer('look look', 5, undefined, CHATML_TOOLS));
    const context = { ...CONTEXT, tokenizer };
    const sampled = sampledWith(tokenizer, row());
    const { records, sampled: figures } = exported('tokens', sampled, context);
    const [plain] = exported('tokens', withCalls(row(), []), context).records;
    // What the template writes behind the last turn no model has read.
    const cut = (name: string) => (plain![name] as number[]).slice(0, (records[0]!.input_ids as number[]).length);
    const [input_ids, attention_mask, labels] = ['input_ids', 'attention_mask', 'labels'].map(cut);
    expect(records).toEqual([{ ...plain, input_ids, attention_mask, labels, source: 'sampled' }]);
    expect((plain!.labels as number[]).slice(labels!.length).every((label) => label === -100)).toBe(true);
    expect(plain!.source).toBe('tokenised');
    expect(figures).toMatchObject({ rows: 1, samples: 1, breaks: 0, answers: 2, compared: 2, drifted: 0 });
  });

  test('drift is counted, the end of a turn is not', async () => {
    const tokenizer = await createChatTokenizer(byteTokenizer('look look', 5, undefined, CHATML_TOOLS));
    const context = { ...CONTEXT, tokenizer };
    const ended = sampledWith(tokenizer, row(), (answer) => answer.slice(0, -1));
    expect(exported('tokens', ended, context).sampled).toMatchObject({ rows: 1, compared: 2, drifted: 0 });
    // The same text in other tokens: what was one is two.
    const drifted = sampledWith(tokenizer, row(), (answer, i) =>
      i === 1 ? [...answer.slice(0, 3), 7, ...answer.slice(3)] : answer,
    );
    const { records, sampled } = exported('tokens', drifted, context);
    expect(sampled).toMatchObject({ rows: 1, compared: 2, drifted: 1, samples: 2, breaks: 1 });
    expect(records.map(({ id }) => id)).toEqual(['run-1#2', 'run-1#4']);
  });

  test('ids of another tokenizer are not taken for this one’s', async () => {
    const tokenizer = await createChatTokenizer(byteTokenizer('look look', 5, undefined, CHATML_TOOLS));
    const { records, sampled } = exported('tokens', row(), { ...CONTEXT, tokenizer });
    expect(records[0]!.source).toBe('tokenised');
    expect(sampled).toMatchObject({ rows: 0, tokenised: { other_tokenizer: 1 } });
    // Without one nobody says that they are.
    expect(exported('tokens', row()).records[0]!.source).toBe('sampled');
  });

  test('a turn that lacks its tokens, or that another model made, leaves the row to its text', () => {
    const full = row();
    const all = full.trajectory!.calls;
    const lacking = all.map((call, i) => (i === 3 ? { ...call, tokens: undefined } : call));
    expect(exported('tokens', withCalls(full, lacking)).sampled!.tokenised).toEqual({ not_all_kept: 1 });
    // Of the student, who is not trained, nothing is needed.
    const enough = all.map((call, i) => (i === 2 ? { ...call, tokens: undefined } : call));
    expect(exported('tokens', withCalls(full, enough)).sampled!.rows).toBe(1);
    const two = all.map((call, i) => (i === 1 ? { ...call, model: 'other' } : call));
    expect(exported('tokens', withCalls(full, two)).sampled!.tokenised).toEqual({ several_models: 1 });
    const none = all.map(({ kept: _, tokens: __, ...call }) => ({ ...call, kept: undefined }));
    expect(exported('tokens', withCalls(full, none)).sampled!.tokenised).toEqual({ not_kept: 1 });
  });

  test('each turn alone, and the last alone', () => {
    const full = row();
    const each = exported('tokens', full, { ...CONTEXT, tokenTurns: 'each' }).records as Fields[];
    const last = exported('tokens', full, { ...CONTEXT, tokenTurns: 'last' }).records as Fields[];
    const calls = full.trajectory!.calls as SampledCall[];
    for (const [record, i] of [
      [each[0], 1],
      [each[1], 3],
      [last[0], 3],
    ] as const) {
      const { prompt, answer } = calls[i]!.tokens;
      expect(record!.input_ids).toEqual([...prompt, ...answer]);
      expect(record!.labels).toEqual([...prompt.map(() => -100), ...answer]);
    }
    expect([each.length, last.length]).toEqual([2, 1]);
  });
});

describe('breaks', () => {
  const long = (view: object, stripsThoughts = false) => {
    const steps = Array.from({ length: 6 }, (_, i) =>
      stepOf(turnOf(i + 1, `Thought ${i}.`, { tool: 'bash', args: { command: `echo ${i}` } }), `${i}\n`),
    );
    const row = rowOf(steps, { dialect: 'tools', train: ['student'], view });
    const { transcript, view: shown } = row.trajectory!;
    return withCalls(row, sampledCalls(transcript, shown, { stripsThoughts }));
  };

  test.each([
    [{}, false, 1],
    // Observations are left out from the fourth turn on, each time one more.
    [{ history: { kind: 'last_n_observations', n: 2 } }, false, 4],
    [{ history: { kind: 'last_n_observations', n: 1 } }, false, 5],
    [{}, true, 6],
  ] as const)('a view of %j, thoughts taken back: %s: %i samples', (view, stripsThoughts, samples) => {
    const row = long(view, stripsThoughts);
    for (const format of ['tokens', 'nemo-gym', 'skyrl', 'verifiers'] as const) {
      const { sampled } = exported(format, row);
      expect(sampled).toMatchObject({ samples, breaks: samples - 1, answers: 6 });
    }
    expect((exported('skyrl', row).records[0] as { is_last_step: boolean[] }).is_last_step).toEqual(
      Array.from({ length: samples }, (_, i) => i === samples - 1),
    );
    const roots = exported('nemo-gym', row).records.filter(({ parent_resolution }) => parent_resolution === 'root');
    expect(roots.length).toBe(samples);
  });
});

describe('ATIF 1.7', () => {
  test('what a person did has no metrics, what a fork took over is copied, and reasoning is apart', async () => {
    const turn = (n: number, more: object) => ({
      ...turnOf(n, `t${n}`, { tool: 'bash', args: { command: 'ls' } }),
      ...more,
    });
    const steps = [turn(1, { reasoning: 'Hm.' }), turn(2, { person: 'ada', reasoning: 'x' }), turn(3, {})];
    const row = rowOf(
      steps.map((each) => stepOf(each, 'out')),
      { train: ['student'] },
    );
    const forked = { ...row, trajectory: { ...row.trajectory!, copied: 1, calls: row.trajectory!.calls } };
    const [record] = exported('atif', forked).records as { steps: Fields[] }[];
    const acted = record!.steps.filter(({ source }) => source === 'agent');
    expect(acted.map((step) => [step.is_copied_context, step.llm_call_count, step.reasoning_content])).toEqual([
      [true, 1, 'Hm.'],
      [undefined, 0, undefined],
      [undefined, 1, undefined],
    ]);
    expect(acted.map(({ extra }) => (extra as Fields).trained)).toEqual([false, true, true]);
    expect(acted[1]).not.toHaveProperty('metrics');
    const { prompt, answer, logprobs } = row.trajectory!.calls.find(({ step }) => step === 2)!.tokens!;
    expect(acted[2]!.metrics).toMatchObject({
      prompt_token_ids: prompt,
      completion_token_ids: answer,
      logprobs,
    });
  });

  test('older documents are read, and those whose messages are parts', async () => {
    const step = (step_id: number, more: object) => ({ step_id, source: 'agent', message: 'I look.', ...more });
    async function* lines() {
      for (const [line, version] of ['1.0', '1.2', '1.4', '1.6', '1.7', '1.8'].entries()) {
        const message = Number(version) > 1.5 ? [{ type: 'text', text: 'Hello' }] : 'Hello';
        const document = {
          schema_version: `ATIF-v${version}`,
          session_id: `s-${version}`,
          agent: { name: 'other', version: '1' },
          steps: [{ step_id: 1, source: 'user', message: 'Do it.' }, step(2, { message })],
        };
        yield { line: line + 1, record: document };
      }
    }
    const checked = await checkRecords(lines(), { file: 'f.jsonl' });
    expect(checked).toMatchObject({ format: 'atif', rows: 6, turns: 6, problems: [] });
  });
});

describe('validity', () => {
  test('a reward of 0 is a judge’s, and nobody else’s', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        for (const row of rows.filter(({ result }) => result !== null)) {
          const { valid, reason, reward } = validityOf(row);
          const { status, grade } = row.result!;
          expect(valid).toBe(reward !== null);
          expect(reason === '').toBe(valid);
          if (reward === 1) expect(grade!.resolved).toBe(true);
          if (reward === 0)
            expect(status === 'tampered' || ['graded', 'bribed', 'patch_failed'].includes(grade!.verdict)).toBe(true);
          if (['sandbox_lost', 'model_rejected', 'budget_exhausted', 'cancelled'].includes(status))
            expect(valid).toBe(false);
          if (!grade) expect(valid).toBe(false);
        }
      }),
    );
  });

  test('a verdict that was reviewed counts as the review has it', () => {
    const [row] = fc
      .sample(
        anyRows.filter((rows) => rows.some(({ result }) => result?.grade)),
        { numRuns: 1, seed: 5 },
      )[0]!
      .filter(({ result }) => result?.grade);
    const grade = GradeResult.parse({ ...row!.result!.grade, resolved: true, verdict: 'controls_incomplete' });
    const doubtful: RolloutRow = { ...row!, result: { ...row!.result!, status: 'submitted', grade } };
    expect(validityOf(doubtful)).toEqual({ valid: false, reason: 'controls_incomplete', reward: null, graded: null });
    const review = (accepted: boolean) => ({ ...doubtful, review: { accepted, why: 'w', by: 'b', at: '2026-01-01' } });
    expect(validityOf(review(true)).reward).toBe(1);
    expect(validityOf(review(false)).reward).toBe(0);
  });

  test('no record has a reward of a rollout that is not valid, and a check finds one that has', async () => {
    const row = runOf(['expert', 'expert'], { dialect: 'tools' });
    const outage = { ...row, metadata: { ...row.metadata, valid: false, reason: 'environment_lost', resolved: false } };
    const [entry] = exported('nemo-gym', outage).records as Fields[];
    const [batch] = exported('skyrl', outage).records as Fields[];
    const [trace] = exported('verifiers', outage).records as Fields[];
    expect(entry).toMatchObject({ reward: null, valid: false, reason: 'environment_lost' });
    expect(batch).toMatchObject({ rewards: [null], valid: [false], reason: ['environment_lost'] });
    expect((batch!.loss_masks as number[][]).flat().some((loss) => loss !== 0)).toBe(false);
    expect(trace).toMatchObject({ rewards: { resolved: null }, ok: false, errors: [{ message: 'environment_lost' }] });
    const spoiled = [
      { ...entry, reward: 0 },
      { ...batch, rewards: [0] },
      { ...trace, rewards: { resolved: { score: 0 } } },
    ];
    for (const record of spoiled) {
      async function* one() {
        yield { line: 1, record };
      }
      expect((await checkRecords(one(), { file: 'f' })).problems[0]).toMatch(/expected no reward/);
    }
  });
});

test('calls are in the order in which they were made: malformed replies, turns, and those to a turn never made', () => {
  const malformed = (author: 'student' | 'expert') => ({
    reply: reply('?'),
    error: { code: 'missing_action' as const, observation: 'No.' },
    author,
  });
  const slip = {
    ...turnOf(2, 't', { tool: 'bash', args: {} }, 'expert'),
    rejected: [malformed('student'), malformed('expert')],
  };
  const person = { ...turnOf(3, 't', { tool: 'bash', args: {} }), person: 'ada' };
  const steps = [turnOf(1, 't', { tool: 'bash', args: {} }), slip, person].map((turn) => stepOf(turn, ''));
  const { transcript } = rowOf(steps).trajectory!;
  const calls = modelCalls(transcript, { refused: [malformed('student')], copied: 1 });
  expect(calls.map(({ turn, attempt, author, step, copied }) => [turn, attempt, author, step, copied])).toEqual([
    [1, 0, 'student', 0, true],
    [2, 0, 'student', null, false],
    [2, 1, 'expert', null, false],
    [2, 2, 'expert', 1, false],
    [4, 0, 'student', null, false],
  ]);
  // An author is shown his own.
  expect(calls.map(({ rejected }) => rejected.length)).toEqual([0, 0, 0, 1, 0]);
});
