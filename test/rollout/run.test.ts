import fc from 'fast-check';
import { ExitStatus, HandOverPolicy, Limits, type HandOverPolicy as Policy } from '../../src/contract';
import { parseInput } from '../../src/contract/parse';
import { authorAt, drawSwitch, handOverAt, needsExpert } from '../../src/rollout/handover';
import { limitReached, NOTHING_SPENT } from '../../src/rollout/limits';
import { actionLine, preview } from '../../src/rollout/summary';
import { actionOf, anyText } from './sample';

const authors = (policy: Policy, turns: number, drawn = drawSwitch(policy, 1, 'i', 1)) =>
  Array.from({ length: turns }, (_, i) => authorAt(policy, drawn, i + 1)[0]).join('');

describe('hand-over', () => {
  test('uniform draws every k from 0 to 30 alike', () => {
    const draws = 31_000;
    const counts = new Array<number>(31).fill(0);
    for (let i = 0; i < draws; i += 1)
      counts[drawSwitch({ uniform: [0, 30] }, 7, `repo__${i % 310}`, Math.floor(i / 310)).studentTurns!]! += 1;
    const chi2 = counts.reduce((sum, n) => sum + (n - 1_000) ** 2 / 1_000, 0);
    // 30 degrees of freedom: 59.7 is the 0.1 % point, 11.6 the 99.9 % point.
    expect(chi2).toBeLessThan(59.7);
    expect(chi2).toBeGreaterThan(11.6);
  });

  test('a draw is fixed by seed, instance and attempt, and each of them matters', () => {
    const policy = { uniform: [0, 1_000_000] } as const satisfies Policy;
    const k = (seed: number | string, instance: string, attempt: number) =>
      drawSwitch({ uniform: [...policy.uniform] }, seed, instance, attempt).studentTurns;
    expect(k(1, 'a', 1)).toBe(k(1, 'a', 1));
    expect(
      new Set([k(1, 'a', 1), k(2, 'a', 1), k(1, 'b', 1), k(1, 'a', 2), k('1', 'a', 1), k(1, 'a1', 1), k(11, 'a', 1)])
        .size,
    ).toBe(7);
    expect(k(42, 'django__django-1', 3)).toMatchInlineSnapshot(`268751`);
  });

  test('authors by turn', () => {
    expect(authors({ at: 3 }, 5)).toBe('sssee');
    expect(authors({ at: 0 }, 3)).toBe('eee');
    expect(authors({ never: true }, 3)).toBe('sss');
    expect(authors({ sequence: ['expert', 'student', 'expert'] }, 5)).toBe('eseee');
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const policy: Policy = { uniform: [2, 4] };
        expect(authors(policy, 6, drawSwitch(policy, seed, 'i', 1))).toMatch(/^s{2,4}e+$/);
      }),
    );
  });

  test('beta mixes per turn with the stated probability', () => {
    expect(authors({ beta: { initial: 1, decay: 1 } }, 50)).toBe('e'.repeat(50));
    expect(authors({ beta: { initial: 0, decay: 1 } }, 50)).toBe('s'.repeat(50));
    const policy: Policy = { beta: { initial: 0.8, decay: 0.5 } };
    const share = (turn: number) => {
      let experts = 0;
      for (let i = 0; i < 4_000; i += 1)
        if (authorAt(policy, drawSwitch(policy, i, 'i', 1), turn) === 'expert') experts += 1;
      return experts / 4_000;
    };
    expect(share(1)).toBeCloseTo(0.8, 1);
    expect(share(2)).toBeCloseTo(0.4, 1);
    expect(share(3)).toBeCloseTo(0.2, 1);
  });

  test('a person can hand over, from any policy, for good', () => {
    for (const policy of [
      { never: true },
      { at: 9 },
      { sequence: ['student'] },
      { beta: { initial: 0, decay: 1 } },
    ] as Policy[]) {
      const drawn = handOverAt(drawSwitch(policy, 1, 'i', 1), 3, 'person');
      expect(authors(policy, 6, drawn)).toBe('sseeee');
      expect(handOverAt(drawn, 5, 'person').forcedAt).toBe(3);
    }
  });

  test('policies are checked', () => {
    expect(() => parseInput(HandOverPolicy, { uniform: [5, 2] }, 'policy')).toThrow('must not be larger');
    expect(() => parseInput(HandOverPolicy, { unifrom: [0, 2] }, 'policy')).toThrow();
    expect(HandOverPolicy.safeParse({ at: 1, never: true }).success).toBe(false);
    expect([{ at: 3 }, { never: true }, { sequence: ['student'] }].map((p) => needsExpert(p as Policy))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('limits', () => {
  const limits = Limits.parse({ costUsd: 1, contextTokens: 100, tokens: 1_000, wallClockSeconds: 60 });
  test.each([
    [{}, undefined],
    [{ steps: 79 }, undefined],
    [{ steps: 80 }, 'limit_steps'],
    [{ costUsd: 1 }, 'limit_cost'],
    [{ contextTokens: 100 }, 'limit_context'],
    [{ tokens: 1_000 }, 'limit_tokens'],
    [{ wallClockSeconds: 60 }, 'limit_wall_clock'],
    [{ wallClockSeconds: 90, modelWaitSeconds: 40 }, undefined],
    [{ consecutiveFormatErrors: 2, consecutiveTimeouts: 2 }, undefined],
    [{ consecutiveFormatErrors: 3, steps: 80 }, 'format_exhausted'],
    [{ consecutiveTimeouts: 3, steps: 80 }, 'timeouts_exhausted'],
  ])('%j ends with %s', (spent, status) => {
    expect(limitReached(limits, { ...NOTHING_SPENT, ...spent })).toBe(status);
    if (status) expect(ExitStatus.options).toContain(status);
  });

  test('defaults, and waiting that counts when it is told to', () => {
    expect(Limits.parse({})).toMatchObject({
      steps: 80,
      commandSeconds: 300,
      consecutiveFormatErrors: 3,
      consecutiveTimeouts: 3,
    });
    const counted = { ...limits, modelWaitExcluded: false };
    expect(limitReached(counted, { ...NOTHING_SPENT, wallClockSeconds: 90, modelWaitSeconds: 40 })).toBe(
      'limit_wall_clock',
    );
  });
});

describe('summary', () => {
  test.each([
    [{ tool: 'bash', args: { command: 'sed -n 1,40p a.py' } }, 'bash sed -n 1,40p a.py'],
    [{ tool: 'bash', args: { command: 'cd a &&\n\tls' } }, 'bash cd a && ls'],
    [
      { tool: 'str_replace_editor', args: { command: 'str_replace', path: 'yamllint/config.py', old_str: 'a' } },
      'edit str_replace yamllint/config.py',
    ],
    [
      { tool: 'str_replace_editor', args: { command: 'view', path: '/a', view_range: [10, -1] } },
      'edit view /a 10-end',
    ],
    [
      { tool: 'str_replace_editor', args: { command: 'insert', path: '/a', insert_line: 4 } },
      'edit insert /a after line 4',
    ],
    [{ tool: 'submit', args: {} }, 'submit'],
  ])('%j', (action, line) => expect(actionLine(action)).toBe(line));

  test('always one line of at most 120 characters that can be stored', () => {
    fc.assert(
      fc.property(actionOf(anyText), (action) => {
        const line = actionLine(action);
        expect(line.length).toBeLessThanOrEqual(120);
        expect(line).not.toMatch(/[\p{Cc}\p{Surrogate}]/u);
      }),
      { numRuns: 1_000 },
    );
  });

  test('a preview keeps both ends and no half pair', () => {
    expect(preview('abcdefghij', 5)).toBe('ab…ij');
    expect(preview('abc', 3)).toBe('abc');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.nat(40), (text, n) => {
        const shown = preview(text, n);
        expect(shown.length).toBeLessThanOrEqual(n);
        if (!/\p{Surrogate}/u.test(text)) expect(shown).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });
});
