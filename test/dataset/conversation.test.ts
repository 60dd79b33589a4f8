import fc from 'fast-check';
import type { ChatMessage } from '../../src/contract/step';
import { promptBefore, renderConversation } from '../../src/dataset/conversation';
import { wellFormedMessage } from '../../src/dataset/text-marks';
import { isWellFormed } from '../../src/rollout/clip';
import { renderRequest } from '../../src/rollout/render';
import {
  actionOf,
  anyText,
  DIALECT_NAMES,
  promptsOf,
  reply,
  stepOf,
  transcriptOf,
  turnOf,
  viewOf,
} from '../rollout/sample';
import { examples } from '../support/counts';
import { anyRow, runOf } from './any-row';

const clean = (messages: readonly ChatMessage[]) => messages.map((message) => wellFormedMessage(message, new Set()));

describe.each(DIALECT_NAMES)('%s', (dialect) => {
  const prompts = promptsOf(dialect);

  test('before each turn stands what a model of the view is asked for that turn, whatever its history processor', () => {
    const history = fc.oneof(
      fc.constant({ kind: 'full' as const }),
      fc.integer({ min: 1, max: 4 }).map((n) => ({ kind: 'last_n_observations' as const, n })),
    );
    fc.assert(
      fc.property(anyRow({ dialect }), history, fc.integer({ min: 200, max: 400 }), (row, processor, chars) => {
        const { transcript } = row.trajectory!;
        const view = viewOf(dialect, { history: processor, observationChars: chars });
        const conversation = renderConversation(transcript, { view, prompts, train: ['expert'] });
        expect(conversation.turns.length).toBe(transcript.steps.length);
        conversation.turns.forEach((turn, k) => {
          const asked = renderRequest({ ...transcript, steps: transcript.steps.slice(0, k) }, view, prompts);
          expect(promptBefore(conversation, turn)).toEqual(clean(asked.messages));
          expect(conversation.tools).toEqual(asked.tools);
        });
      }),
      { numRuns: examples(40, 200) },
    );
  });

  test('it ends with the last turn, which is in it whole', () => {
    const { messages, turns } = runOf(['student', 'expert', 'expert'], { dialect }).conversation;
    expect(messages.length).toBe(2 + 2 * 3 - 1);
    expect(turns.map(({ message }) => message)).toEqual([2, 4, 6]);
    const last = messages.at(-1)!;
    expect(JSON.stringify(last)).toContain('submit');
    expect(last.role).toBe('assistant');
  });

  test('malformed replies and what was said about them are in no conversation', () => {
    const turn = turnOf(1, 'ok', { tool: 'bash', args: { command: 'ls' } }, 'expert');
    const rejected = [{ reply: reply('OOPS'), error: { code: 'missing_action' as const, observation: 'NO CALL' } }];
    const transcript = transcriptOf([stepOf({ ...turn, rejected }, 'a\n')]);
    const conversation = renderConversation(transcript, { view: viewOf(dialect), prompts, train: ['expert'] });
    expect(JSON.stringify(conversation.messages)).not.toMatch(/OOPS|NO CALL/);
  });
});

test('texts are well-formed, and marked where they were not', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyText, actionOf(anyText), anyText), { maxLength: 4 }), (parts) => {
      const steps = parts.map(([thought, action, seen], i) => stepOf(turnOf(i + 1, thought, action, 'expert'), seen));
      const view = viewOf('xml');
      const conversation = renderConversation(transcriptOf(steps), { view, prompts: promptsOf('xml'), train: [] });
      const asked = renderRequest(transcriptOf(steps), view, promptsOf('xml')).messages.slice(0, -1);
      expect(conversation.messages.every(({ content }) => isWellFormed(content ?? ''))).toBe(true);
      const broken = steps.length > 0 && asked.some(({ content }) => !isWellFormed(content ?? ''));
      expect(conversation.marks.includes('lone_surrogates')).toBe(broken);
    }),
    { numRuns: examples(150, 500) },
  );
});

test('what a view’s readers would misread is marked on the turn', () => {
  const action = { tool: 'bash', args: { command: 'echo "</parameter>"' } };
  const transcript = transcriptOf([
    stepOf(turnOf(1, 'ok', action, 'expert'), '\n'),
    stepOf(turnOf(2, 'ok', { tool: 'submit', args: {} }, 'expert'), ''),
  ]);
  const faithful = (dialect: 'xml' | 'tools') =>
    renderConversation(transcript, { view: viewOf(dialect), prompts: promptsOf(dialect), train: ['expert'] }).turns.map(
      (turn) => turn.faithful,
    );
  expect(faithful('xml')).toEqual([false, true]);
  expect(faithful('tools')).toEqual([true, true]);
});

test('a transcript without steps is its prompt', () => {
  const { conversation } = runOf([]);
  expect(conversation.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(conversation.turns).toEqual([]);
});
