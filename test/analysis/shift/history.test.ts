import fc from 'fast-check';
import { promptsFor } from '../../../src/activities/prompts';
import { HashedHistory } from '../../../src/analysis/shift/hashed-history';
import { historiesByTurn, historyText } from '../../../src/analysis/shift/history';
import { View } from '../../../src/contract';
import { stepOf, transcriptOf, turnOf } from '../../rollout/sample';

const view = View.parse({ dialect: 'xml' });

test('every turn adds to what was there, in the view that was asked for', () => {
  const commands = ['ls', 'cat src/calc.py', 'python -m pytest'];
  const transcript = transcriptOf(
    commands.map((command, at) =>
      stepOf(turnOf(at + 1, `Thought ${at + 1}.`, { tool: 'bash', args: { command } }), `saw ${command}`),
    ),
  );
  for (const dialect of ['xml', 'tools', 'backticks'] as const) {
    const shown = View.parse({ dialect });
    const text = historyText(transcript, shown, promptsFor(shown), 100);
    expect(text.turns.length).toBe(transcript.steps.length);
    expect(text.opening).toContain(transcript.opening.statement);
    for (const [at, { turn }] of transcript.steps.entries()) expect(text.turns[at]).toContain(turn.thought);
    const histories = historiesByTurn(text, 1e6);
    for (const [at, history] of histories.entries()) {
      expect(history.startsWith(text.opening)).toBe(true);
      expect(history.endsWith(text.turns[at]!)).toBe(true);
    }
  }
  expect(historyText(transcript, view, promptsFor(view), 2).turns.length).toBe(2);
});

test('what is too long is cut from the front, between characters', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 40 }),
      (opening, turns, tokens) => {
        let whole = opening;
        for (const [at, history] of historiesByTurn({ opening, turns }, tokens).entries()) {
          whole += `\n\n${turns[at]}`;
          expect(whole.endsWith(history)).toBe(true);
          expect(Buffer.byteLength(history)).toBeLessThanOrEqual(tokens * 3);
          expect(history.length === whole.length || Buffer.byteLength(history) > tokens * 3 - 4).toBe(true);
        }
      },
    ),
  );
});

const words = fc.array(fc.constantFrom('cat', 'src', 'calc', 'py', 'error', 'Tests', 'passed', '42'), {
  minLength: 1,
  maxLength: 60,
});
const close = (one: Float32Array, other: Float32Array) => one.every((value, at) => Math.abs(value - other[at]!) < 1e-6);

test('hashed: a history told in parts is the history told at once, and only the last words count where that is asked', () => {
  fc.assert(
    fc.property(words, words, fc.integer({ min: 1, max: 20 }), (first, second, most) => {
      const parts = new HashedHistory(null);
      parts.append(first.join(' '));
      parts.append(second.join(' '));
      const whole = new HashedHistory(null);
      whole.append([...first, ...second].join(' '));
      expect(close(parts.vector(), whole.vector())).toBe(true);
      const windowed = new HashedHistory(most);
      windowed.append(first.join(' '));
      windowed.append(second.join(' '));
      const last = new HashedHistory(null);
      last.append([...first, ...second].slice(-most).join(' '));
      expect(close(windowed.vector(), last.vector())).toBe(true);
      expect(Math.hypot(...whole.vector())).toBeCloseTo(1, 5);
    }),
  );
});

test('hashed: texts that share words lie closer than those that do not', () => {
  const of = (text: string) => {
    const history = new HashedHistory(null);
    history.append(text);
    return history.vector();
  };
  const cosine = (one: Float32Array, other: Float32Array) =>
    one.reduce((sum, value, at) => sum + value * other[at]!, 0);
  const base = of('the test of the parser fails with an index error in src/parser.py');
  expect(cosine(base, of('an index error in src/parser.py makes the parser test fail'))).toBeGreaterThan(
    cosine(base, of('lorem ipsum dolor sit amet, consectetur adipiscing')) + 0.2,
  );
  expect(Math.hypot(...of(''))).toBe(1);
});
