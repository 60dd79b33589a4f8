import { columnsOf, shortened, wrapHard, wrapWords } from '../columns';
import { count, dollars } from '../figures';
import { ink } from '../ink';
import { safeLine } from '../safe-text';
import type { Look } from '../shown-run';
import { moveLines } from './move';
import { indented, inside, outputLines, proseLines } from './output';
import type { ShownSetupStep } from './shown-setup';

/** One step: what was thought and done, what came back, and what the loop did around it. */
export function setupStepLines(step: ShownSetupStep, look: Look): string[] {
  const paint = ink(look.coloured);
  const inner = inside(look);
  const { turn, notes, undoes, output } = step;
  const refused = turn.rejected.flatMap(({ error, reply }) => {
    const said = reply.content ?? reply.toolCalls[0]?.arguments ?? '';
    return wrapHard(
      [`✗ reply refused (${error.code}): ${shortened(safeLine(said.trim()), 100) || '(empty)'}`],
      inner.width,
    ).map(paint.dim);
  });
  const around = [
    ...notes.map((note) => `◇ ${safeLine(note)}`),
    ...(undoes.length > 0 ? [`↶ turn ${undoes.join(', ')} undone`] : []),
  ];
  return [
    headLine(step, look),
    ...indented([
      ...refused,
      ...proseLines(String(turn.move.thought ?? ''), inner),
      ...moveLines(turn.role, turn.move, inner),
      ...outputLines(output, inner),
      ...wrapWords(around, inner.width).map(paint.notice),
    ]),
    '',
  ];
}

function headLine({ turn, observation, undoneBy }: ShownSetupStep, look: Look): string {
  const paint = ink(look.coloured);
  const { exitCode, timedOutAfter } = observation;
  const tokens = turn.usage.promptTokens + turn.usage.completionTokens;
  const name = String(turn.move.action ?? turn.move.move ?? 'move');
  const who = shortened(safeLine(`turn ${turn.turn} · ${name} · ${turn.policy}`), Math.floor(look.width / 2));
  const right = [
    ...(timedOutAfter !== null ? [`killed after ${timedOutAfter} s`] : exitCode === null ? [] : [`exit ${exitCode}`]),
    ...(tokens > 0 ? [count(tokens, 'token')] : []),
    ...(turn.usage.costUsd > 0 ? [dollars(turn.usage.costUsd)] : []),
    ...(undoneBy === null ? [] : [`undone by turn ${undoneBy}`]),
  ].join(' · ');
  const line = '─'.repeat(Math.max(2, look.width - columnsOf(who) - columnsOf(right) - (right ? 5 : 4)));
  const failed = timedOutAfter !== null || (exitCode ?? 0) !== 0;
  return [
    paint.dim('──'),
    (undoneBy === null ? paint.strong : paint.dim)(who),
    paint.dim(line),
    ...(right ? [(failed ? paint.bad : paint.dim)(right)] : []),
  ].join(' ');
}
