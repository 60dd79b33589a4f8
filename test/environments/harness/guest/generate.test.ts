import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { FunctionTarget } from '../../../../src/contract';
import { GenerateLine, RunLine } from '../../../../src/environments/harness/protocol';
import { isInformativeOutcome } from '../../../../src/problems/equivalence/validity';
import { ask, environment, subjectOf, workshop } from './support';

const run = promisify(execFile);
const MODULE = `
import abc
import dataclasses
import enum
import typing


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.0


class Base(abc.ABC):
    @abc.abstractmethod
    def work(self): ...


class Stack:
    def __init__(self, items: typing.List[int]):
        self.items = list(items)

    def top(self, deep: int = 0):
        return self.items[-1 - deep] if deep < len(self.items) else None


def grade(points: int, scale: str = 'letters') -> str:
    if points < 0:
        raise ValueError(points)
    if scale == 'numbers':
        return str(points // 10)
    if points > 4711:
        return 'S'
    return 'A' if points >= 90 else 'B' if points >= 50 else 'C'


def move(point: Point, by: typing.Optional[typing.Tuple[int, int]], mode: Mode, *more: int, key: typing.Callable[[int], object] = abs):
    return (point.x + (by[0] if by else 0), point.y, mode.name, [key(one) for one in more])


def documented(words, count):
    """Repeats.

    Args:
        words (list of str): What.
        count (int): How often.
    """
    return [word.upper() for word in words] * count


def guessed(text, n):
    return text[:n].strip() or None


def impossible(worker: Base):
    return worker.work()


def endless(n: int):
    while True:
        n += 1


def leaves(n: int):
    import os
    os._exit(0)
`;

const shop = workshop('generate');
let made: { python: string; tools: string } | null = null;

beforeAll(async () => {
  shop.write('repo/made.py', MODULE);
  made = await environment(shop.folder);
}, 240_000);
afterAll(() => shop.close());

async function generate(name: string, kind: FunctionTarget['kind'] = 'function', more: object = {}) {
  const subject = subjectOf(`${shop.folder}/repo`, 'made', name, kind);
  const request = { subject, tools: made!.tools, seed: 3, examples: 12, seconds: 10, ...more };
  const lines = await ask<unknown>('generate', request, { python: made!.python });
  return { subject, lines: lines.map((line) => GenerateLine.parse(line)) };
}

/** Runs what was generated as a harness: outcomes in order, and the coverage. */
async function runGenerated({ subject, lines }: Awaited<ReturnType<typeof generate>>) {
  const calls = lines.flatMap((line) => (line.kind === 'calls' ? line.calls : []));
  const setup = [...new Set(calls.flatMap((call) => call.setup))];
  const cases = calls.map(({ body }, at) => `def case_${at}(subject):\n    ${body.join('\n    ')}`);
  const request = {
    subject,
    harness: [...setup, ...cases].join('\n'),
    cases: calls.map((_, at) => `case_${at}`),
    seed: 0,
    secondsPerCase: 5,
    keep: 10_000,
    observeCalls: 0,
    coverage: true,
    load: 0,
    tools: made!.tools,
  };
  const answered = (await ask<unknown>('run', request, { python: made!.python })).map((line) => RunLine.parse(line));
  const outcomes = answered.flatMap((line) => (line.kind === 'case' ? [line.outcome] : []));
  const coverage = answered.flatMap((line) => (line.kind === 'coverage' ? [line.coverage] : []))[0]!;
  return { calls, outcomes, coverage };
}

test.each([
  ['grade', 'function'],
  ['move', 'function'],
  ['documented', 'function'],
  ['guessed', 'function'],
  ['Stack.top', 'method'],
] as const)('%s: calls that reach all of it, and that run as cases', async (name, kind) => {
  if (!made) return;
  const { calls, outcomes, coverage } = await runGenerated(await generate(name, kind));
  expect(calls.length).toBeGreaterThanOrEqual(4);
  expect(outcomes.map(({ status }) => status)).toEqual(calls.map(() => 'returned'));
  expect(outcomes.map(({ calls }) => calls)).toEqual(calls.map(() => 1));
  expect(outcomes.filter(isInformativeOutcome).length).toBeGreaterThanOrEqual(3);
  expect(coverage.branches.missed).toEqual([]);
  expect(coverage.lines.missed).toEqual([]);
  expect(new Set(calls.map(({ digest }) => digest)).size).toBe(calls.length);
});

test('the same seed gives the same calls, another one others', async () => {
  if (!made) return;
  const [first, again, other] = [
    await generate('grade'),
    await generate('grade'),
    await generate('grade', 'function', { seed: 4 }),
  ];
  expect(again.lines).toEqual(first.lines);
  expect(other.lines).not.toEqual(first.lines);
});

test('types that were seen are taken where nothing else says one', async () => {
  if (!made) return;
  const { lines } = await generate('guessed', 'function', { seen: { text: ['str'], n: ['int', 'None'] } });
  const shapes = lines.flatMap((line) => (line.kind === 'calls' ? line.calls.map(({ shape }) => shape) : []));
  expect(new Set(shapes)).toEqual(new Set(['str, int', 'str, None']));
});

test.each([
  ['impossible', 'worker', 'Base is abstract'],
  ['endless', '*', 'it raises, or does not end, for all that was tried'],
  ['leaves', '*', 'the function did not come back, or ended its process'],
])('%s is refused with a reason', async (name, argument, why) => {
  if (!made) return;
  expect((await generate(name)).lines).toEqual([{ kind: 'refused', argument, why }, { kind: 'end' }]);
});

test('without hypothesis it says so', async () => {
  if (!made) return;
  const { lines } = await generate('grade', 'function', { tools: undefined });
  const known = await run(made.python, ['-c', 'import hypothesis']).then(
    () => true,
    () => false,
  );
  if (!known) expect(lines[0]).toMatchObject({ kind: 'refused', why: expect.stringContaining('hypothesis') });
});
