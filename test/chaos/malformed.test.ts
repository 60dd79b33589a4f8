import type { RolloutResult } from '../../src/contract';
import { BrokenMessage } from '../../src/model/rehearsal/faults';
import { MalformedKind } from '../../src/model/rehearsal/malformed';
import { FULL, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const DIALECTS = FULL ? (['tools', 'xml', 'backticks'] as const) : (['tools'] as const);
/** Where arguments are text, a number is a word like any other; and in backticks any word is a command. */
const AS_TEXT = ['tools', 'xml', 'backticks'].map((dialect) => `${dialect}.object-as-text`);
const TEXT_IS_FINE = new Set([...AS_TEXT, 'xml.wrong-type', 'backticks.wrong-type', 'backticks.unknown-tool']);
const look = (k: number) => ({ thought: `Look ${k}.`, tool: 'bash', args: { command: `echo ${k}` } });
/** One model for each slip in each dialect, one for each broken message, and one that never gets a turn right. */
const slips = DIALECTS.flatMap((dialect) =>
  MalformedKind.options.map(
    (kind) =>
      [`${dialect}.${kind.replaceAll('_', '-')}`, { dialect, turns: [look(1), { malformed: kind }, look(2)] }] as const,
  ),
);
const broken = BrokenMessage.options.map(
  (variant) =>
    [
      `broken.${variant.replaceAll('_', '-')}`,
      { turns: [look(1), look(2)], faults: [{ kind: 'malformedToolCalls', variant, turns: [2], perTurn: 1 }] },
    ] as const,
);
const hopeless = MalformedKind.options
  .filter((kind) => kind !== 'object_as_text')
  .map((kind) => [`hopeless.${kind.replaceAll('_', '-')}`, { turns: [look(1)], end: { malformed: kind } }] as const);
const models: Record<string, object> = Object.fromEntries([...slips, ...broken, ...hopeless]);

let world: World;
beforeAll(async () => {
  const profiles = Object.fromEntries(
    Object.entries(models).map(([name, model]) => [
      name,
      { view: { dialect: (model as { dialect?: string }).dialect ?? 'tools' } },
    ]),
  );
  world = await World.start({ script: { models }, profiles });
});
afterAll(async () => {
  await world?.close();
});

test(
  'nothing that a model says fails a workflow task',
  async () => {
    const problem = await tinyProblem();
    const waiting = Object.keys(models);
    const results = new Map<string, RolloutResult>();
    let failedTasks = 0;
    const one = async (name: string) => {
      const handle = await world.begin(
        'rollout',
        { problem, student: name, handOver: { never: true }, grade: false },
        name,
      );
      results.set(name, (await handle.result()) as RolloutResult);
      const { events } = await handle.fetchHistory();
      failedTasks += events!.filter((event) => event.workflowTaskFailedEventAttributes).length;
    };
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let name = waiting.pop(); name; name = waiting.pop()) await one(name);
      }),
    );
    const of = (group: readonly (readonly [string, unknown])[]) =>
      group.map(([name]) => [name, results.get(name)!] as const);
    figures('5 malformed replies', {
      runs: results.size,
      formatRetries: [...results.values()].reduce((sum, { turns }) => sum + turns.formatRetries, 0),
      failedTasks,
    });
    expect(failedTasks).toBe(0);
    const unlike = of(slips).filter(
      ([name, { status, turns }]) => status !== 'submitted' || turns.formatRetries !== (TEXT_IS_FINE.has(name) ? 0 : 1),
    );
    expect(unlike.map(([name, { status, turns }]) => [name, status, turns.formatRetries])).toEqual([]);
    for (const [name, { status }] of of(broken)) expect([name, status]).toEqual([name, 'submitted']);
    for (const [name, { status, turns }] of of(hopeless))
      expect([name, status, turns.formatRetries]).toEqual([name, 'format_exhausted', 3]);
  },
  minutes(4, 4),
);
