import { createHash } from 'node:crypto';
import type { DatasetFormat } from '../../src/contract/names';
import { EXPORTERS, type LinesExporter } from '../../src/dataset/exporters';
import { traj } from '../../src/dataset/exporters/traj';
import type { DatasetRow } from '../../src/dataset/row';
import { stepOf, turnOf } from '../rollout/sample';
import { CONTEXT, rowOf, runOf } from './any-row';

type Fields = Record<string, unknown>;

function exportedAs(format: DatasetFormat, row: DatasetRow) {
  const { records, left } = (EXPORTERS[format] as LinesExporter).export(row, CONTEXT);
  return { records: records as Fields[], left };
}

const mixed = (dialect: 'tools' | 'xml' | 'backticks') =>
  runOf(['student', 'expert', 'student', 'expert', 'expert'], { dialect });
const keysOf = (value: unknown) => Object.keys(value as object).sort();

test('universal: every assistant message has every trainer’s field, and no other message has one', () => {
  const [record] = exportedAs('universal', mixed('tools')).records;
  const messages = record!.messages as Fields[];
  expect(
    messages
      .filter(({ role }) => role === 'assistant')
      .map(({ train, weight, loss, loss_weight }) => [train, weight, loss, loss_weight]),
  ).toEqual([
    [false, 0, false, 0],
    [true, 1, true, 1],
    [false, 0, false, 0],
    [true, 1, true, 1],
    [true, 1, true, 1],
  ]);
  for (const message of messages.filter(({ role }) => role !== 'assistant')) {
    for (const field of ['train', 'weight', 'loss', 'loss_weight']) expect(message).not.toHaveProperty(field);
  }
  expect(JSON.parse(record!.tools as string).map((tool: { function: Fields }) => tool.function.name)).toContain('bash');
  expect(JSON.stringify(record!.metadata)).not.toContain('null');
  expect(messages[2]).toMatchObject({ author: 'student', turn: 1, step: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

test('openai: nothing that the format does not have', () => {
  const [record] = exportedAs('openai', mixed('tools')).records;
  expect(keysOf(record)).toEqual(['messages', 'parallel_tool_calls', 'tools']);
  expect(record!.parallel_tool_calls).toBe(false);
  for (const message of record!.messages as Fields[]) {
    const { role } = message;
    expect(keysOf(message)).toEqual(
      role === 'assistant'
        ? ['content', 'role', 'tool_calls', 'weight']
        : role === 'tool'
          ? ['content', 'role', 'tool_call_id']
          : ['content', 'role'],
    );
  }
  expect(keysOf(exportedAs('openai', mixed('xml')).records[0])).toEqual(['messages']);
});

test('trl: a record for each run of trained turns, whose prompt is all that came before', () => {
  const row = mixed('tools');
  const { records } = exportedAs('trl', row);
  expect(records.map(({ id }) => id)).toEqual(['run-1#2', 'run-1#4']);
  expect(records.map(({ prompt, completion }) => [(prompt as []).length, (completion as []).length])).toEqual([
    [4, 1],
    [8, 3],
  ]);
  const call = ((records[0]!.completion as Fields[])[0]!.tool_calls as { function: Fields }[])[0]!;
  expect(call.function.arguments).toEqual({ command: 'echo 1 run-1' });
  expect(exportedAs('trl', runOf(['student', 'expert', 'expert'])).records.map(({ id }) => id)).toEqual(['run-1']);
});

test('swesmith: each style in its own dialect, whatever the view, with what the others of it have', () => {
  for (const dialect of ['tools', 'xml', 'backticks'] as const) {
    const said = (format: DatasetFormat) => {
      const [record] = exportedAs(format, mixed(dialect)).records;
      expect(record).toMatchObject({ instance_id: 'p-1', resolved: true, model: 'large', traj_id: 'run-1' });
      return (record!.messages as Fields[])[2]!;
    };
    expect(said('swesmith-xml').content).toContain('<function=bash>\n<parameter=command>echo 0 run-1</parameter>');
    expect(said('swesmith-ticks').content).toContain('```\necho 0 run-1\n```');
    expect(said('swesmith-tool')).toHaveProperty('tool_calls');
  }
});

test('sharegpt: people and the model take turns, and calls are text, for a call alone would lose the thought', () => {
  for (const dialect of ['tools', 'xml'] as const) {
    const [record] = exportedAs('sharegpt', mixed(dialect)).records;
    const from = (record!.conversations as Fields[]).map((message) => message.from);
    expect(from).toEqual(['system', 'human', 'gpt', 'human', 'gpt', 'human', 'gpt', 'human', 'gpt', 'human', 'gpt']);
    expect((record!.conversations as Fields[])[2]!.value).toMatch(/^\[S1\] I look[\s\S]*<function=bash>/);
  }
});

test('sharegpt-turns: what the model is shown at each turn, older observations left out as its view does', () => {
  const row = runOf(['student', 'student', 'expert', 'expert'], {
    view: { history: { kind: 'last_n_observations', n: 1 } },
  });
  const { records } = exportedAs('sharegpt-turns', row);
  expect(records.map(({ id }) => id)).toEqual(['run-1#3', 'run-1#4']);
  const observed = (record: Fields) =>
    (record.conversations as Fields[]).slice(2).flatMap(({ from, value }) => (from === 'human' ? [value] : []));
  expect(observed(records[0]!)).toEqual([expect.stringContaining('omitted'), expect.stringMatching(/1\n$/)]);
  expect(observed(records[1]!).length).toBe(3);
  expect(observed(records[1]!).filter((value) => String(value).includes('omitted')).length).toBe(2);
});

test('traj: a folder as SWE-agent’s own, one trajectory an instance', () => {
  const rows = ['a', 'b'].map((id) => runOf(['student', 'expert'], { id, dialect: 'tools' }));
  const done = rows.map((row, nth) => traj.files(row, nth, CONTEXT));
  expect(done.flatMap(({ files }) => files.map(({ path }) => path))).toEqual([
    'pass-0/p-1/p-1.traj',
    'pass-0/p-1/p-1.pred',
    'pass-0/p-1/p-1.patch',
    'pass-1/p-1/p-1.traj',
    'pass-1/p-1/p-1.pred',
    'pass-1/p-1/p-1.patch',
  ]);
  const index = traj.index(done.flatMap(({ entry }) => (entry ? [entry] : [])));
  expect(index.map(({ path }) => path)).toEqual(['pass-0/preds.json', 'pass-1/preds.json']);
  expect(JSON.parse(index[0]!.text)).toEqual({
    'p-1': { model_name_or_path: 'large', instance_id: 'p-1', model_patch: 'diff --git a/a b/a\n' },
  });
  const document = JSON.parse(done[0]!.files[0]!.text) as { trajectory: Fields[]; history: Fields[]; info: Fields };
  expect(document.trajectory.map(({ action }) => action)).toEqual(['echo 0 a', 'submit']);
  expect(document.trajectory.map(({ query }) => (query as []).length)).toEqual([0, 4]);
  expect(document.history.map(({ message_type }) => message_type)).toEqual([
    'system_prompt',
    'instance',
    'action',
    'observation',
    'action',
  ]);
  expect(document.info).toMatchObject({ exit_status: 'submitted', submission: 'diff --git a/a b/a\n' });
});

test('traj: no instance’s name leads out of the folder', () => {
  for (const instance of ['../../etc', '..', 'a/b', '/etc/passwd', '.']) {
    const row = runOf(['expert']);
    const { files } = traj.files({ ...row, metadata: { ...row.metadata, instance_id: instance } }, 0, CONTEXT);
    for (const { path } of files) {
      expect(path.split('/').length).toBe(3);
      expect(path.split('/').some((part) => /^\.+$/.test(part))).toBe(false);
    }
  }
});

test('traj: a file grows with its turns, not with their square', () => {
  const bytes = (turns: number) => traj.files(runOf(Array(turns).fill('expert')), 0, CONTEXT).files[0]!.text.length;
  const base = bytes(1);
  expect((bytes(80) - base) / (bytes(40) - base)).toBeLessThan(2.3);
});

test('atif: the trajectory in no model’s format, each observation with its call', () => {
  const [record] = exportedAs('atif', mixed('xml')).records;
  const steps = record!.steps as Fields[];
  expect(record!.schema_version).toBe('ATIF-v1.7');
  expect(steps.map(({ step_id, source }) => [step_id, source])).toEqual([
    [1, 'system'],
    [2, 'user'],
    ...[3, 4, 5, 6, 7].map((id) => [id, 'agent']),
  ]);
  expect(steps[2]).toMatchObject({
    message: '[S1] I look at part 0 of run-1.',
    tool_calls: [{ tool_call_id: 'call00001', function_name: 'bash', arguments: { command: 'echo 0 run-1' } }],
    observation: { results: [{ source_call_id: 'call00001', content: '0\n' }] },
    extra: { author: 'student', trained: false },
  });
});

describe('what is not written is said', () => {
  const extra = (): DatasetRow => ({ ...runOf(['expert'], { dialect: 'tools' }), trajectory: null });

  test('rows that are messages only, in formats that need the trajectory', () => {
    for (const format of ['swesmith-xml', 'swesmith-ticks', 'sharegpt', 'sharegpt-turns', 'atif'] as const) {
      expect(exportedAs(format, extra())).toEqual({
        records: [],
        left: [{ reason: 'no_trajectory', detail: 'run-1' }],
      });
    }
    expect(traj.files(extra(), 0, CONTEXT)).toEqual({ files: [], entry: null });
    expect(exportedAs('swesmith-tool', extra()).records.length).toBe(1);
  });

  test('rows without a trained turn, in formats that mask', () => {
    for (const format of ['universal', 'openai', 'trl', 'axolotl', 'sharegpt', 'sharegpt-turns'] as const) {
      expect(exportedAs(format, runOf(['student', 'student'])).left).toEqual([
        { reason: 'nothing_trained', detail: 'run-1' },
      ]);
    }
  });

  test('tokens without a tokenizer', () => {
    expect(exportedAs('tokens', runOf(['expert'], { calls: [] })).left).toEqual([
      { reason: 'no_tokenizer', detail: 'run-1' },
    ]);
  });

  test('messages that do not alternate, where the trainer demands it', () => {
    const row = runOf(['expert']);
    const messages = [
      ...row.conversation.messages.slice(0, 2),
      { role: 'user' as const, content: 'and?' },
      row.conversation.messages[2]!,
    ];
    const conversation = { ...row.conversation, messages, turns: [{ ...row.conversation.turns[0]!, message: 3 }] };
    expect(exportedAs('sharegpt', { ...row, conversation }).left[0]!.reason).toBe('roles_do_not_alternate');
  });
});

test('a trajectory of 400 turns of 60 kB is written in a moment', () => {
  const steps = Array.from({ length: 400 }, (_, i) =>
    stepOf(
      turnOf(i + 1, `t${i}`, { tool: 'bash', args: { command: 'cat big' } }, i < 200 ? 'student' : 'expert'),
      'x'.repeat(60_000),
    ),
  );
  const row = rowOf(steps, { dialect: 'xml', calls: [] });
  const started = performance.now();
  for (const format of ['universal', 'openai', 'trl', 'axolotl', 'swesmith-ticks', 'sharegpt', 'atif'] as const) {
    const hash = createHash('sha256');
    for (const record of exportedAs(format, row).records) hash.update(JSON.stringify(record));
    hash.digest('hex');
  }
  expect(performance.now() - started).toBeLessThan(20_000);
});
