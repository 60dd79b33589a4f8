import { JudgeMove, ProsecutorMove, SetupAction, type SetupRole, VerifierMove } from '../../../contract';
import { count, dollars } from '../../../pages/figures';
import type { Look } from '../../../pages/shown-run';
import type { ShownSetupStep } from '../../../pages/shown-setup';
import { columnsOf, shortened, wrapWords } from '../columns';
import { ink } from '../ink';
import { safeLine } from '../safe-text';
import { refusedLines } from '../turn';
import { commandLines, indented, inside, labelled, outputLines, proseLines } from './output';

const FILE = { head: 12, tail: 4 };

/** One move of any role. A move that is not what its role's schema says is shown as it is. */
function moveLines(role: SetupRole, move: Readonly<Record<string, unknown>>, look: Look): string[] {
  switch (role) {
    case 'agent':
      return setupActionLines(move, look);
    case 'verifier':
      return verifierLines(move, look);
    case 'prosecutor':
      return prosecutorLines(move, look);
    case 'judge':
      return judgeLines(move, look);
    default:
      return role satisfies never;
  }
}

function verifierLines(raw: Readonly<Record<string, unknown>>, look: Look): string[] {
  const read = VerifierMove.safeParse(raw);
  if (!read.success) return commandLines(JSON.stringify(raw), look);
  const move = read.data;
  switch (move.move) {
    case 'look':
    case 'run_tests':
      return commandLines(move.command, look);
    case 'smoke':
      return [
        ...labelled('▸ writes', move.path, look),
        ...indented(outputLines(move.content, inside(look), FILE)),
        ...commandLines(move.command, look),
      ];
    case 'classify':
      return move.failures.flatMap(({ test, class: kind, why }) => labelled(`✗ ${kind}`, `${test}: ${why}`, look));
    case 'conclude':
      return strong(labelled(move.success ? '⇒ it works' : '⇒ it does not work', move.hint || 'no hint', look), look);
    default:
      return move satisfies never;
  }
}

function prosecutorLines(raw: Readonly<Record<string, unknown>>, look: Look): string[] {
  const read = ProsecutorMove.safeParse(raw);
  if (!read.success) return commandLines(JSON.stringify(raw), look);
  const move = read.data;
  switch (move.move) {
    case 'examine':
      return commandLines(move.command, look);
    case 'charge':
      return [
        ...strong(labelled(`⚖ charge (${move.kind})`, move.claim, look), look),
        ...(move.declared === '' ? [] : labelled('declared', move.declared, look)),
        ...commandLines(move.command, look),
      ];
    case 'rest':
      return [...strong(['⇒ rests'], look), ...proseLines(move.summary, look)];
    default:
      return move satisfies never;
  }
}

function judgeLines(raw: Readonly<Record<string, unknown>>, look: Look): string[] {
  const read = JudgeMove.safeParse(raw);
  if (!read.success) return commandLines(JSON.stringify(raw), look);
  const move = read.data;
  switch (move.move) {
    case 'rerun':
      return [`▸ charge ${move.charge} again`, ...(move.command ? commandLines(move.command, look) : [])];
    case 'find': {
      const found = `${move.upheld ? 'upheld' : 'dismissed'} (${move.ground})`;
      return strong(labelled(`⚖ charge ${move.charge} ${found}`, move.why || 'no reason given', look), look);
    }
    default:
      return move satisfies never;
  }
}

function strong(lines: readonly string[], look: Look): string[] {
  return lines.map(ink(look.coloured).strong);
}

/** One step: what was thought and done, what came back, and what the loop did around it. */
export function setupStepLines(step: ShownSetupStep, look: Look): string[] {
  const paint = ink(look.coloured);
  const inner = inside(look);
  const { turn, notes, undoes, output } = step;
  const refused = refusedLines(turn.rejected, inner);
  const around = [
    ...notes.map((note) => `◇ ${safeLine(note)}`),
    ...(undoes.length > 0 ? [`↶ turn ${undoes.join(', ')} undone`] : []),
  ];
  return [
    headLine(step, look),
    ...refused,
    ...indented([
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

/** What the set-up agent did, as one would say it. */
function setupActionLines(move: Readonly<Record<string, unknown>>, look: Look): string[] {
  const paint = ink(look.coloured);
  const read = SetupAction.safeParse(move);
  if (!read.success) return commandLines(JSON.stringify(move), look);
  const action = read.data;
  const strong = (lines: readonly string[]) => lines.map(paint.strong);
  switch (action.action) {
    case 'shell':
      return commandLines(action.command, look);
    case 'try_experience':
      return [
        ...strong(labelled('✦ try', action.unit, look)),
        ...(action.why === '' ? [] : labelled('why', action.why, look)),
        ...(action.command === undefined ? [] : commandLines(action.command, look)),
      ];
    case 'set_env':
      return commandLines(`export ${action.key}=${action.value}`, look);
    case 'rollback':
      return strong([`↶ roll back ${action.frames === 1 ? 'one frame' : `${action.frames} frames`}`]);
    case 'start_service': {
      const { name, kind, port, image, start } = action.service;
      const where = [kind, ...(image ? [image] : []), ...(port ? [`port ${port}`] : [])].join(', ');
      return [
        ...strong(labelled('▸ start', `${name} (${where})`, look)),
        ...(start === undefined ? [] : commandLines(start, look)),
      ];
    }
    case 'verify':
      return strong(action.hint ? labelled('▸ verify', action.hint, look) : ['▸ verify']);
    case 'finish':
      return strong(
        labelled(action.success ? '⇒ finish' : '⇒ give up', safeLine(action.message) || 'no reason given', look),
      );
    default:
      return action satisfies never;
  }
}
