import { JudgeMove, ProsecutorMove, type SetupRole, VerifierMove } from '../../contract';
import { ink } from '../ink';
import type { Look } from '../shown-run';
import { setupActionLines } from './action';
import { commandLines, indented, inside, labelled, outputLines, proseLines } from './output';

const FILE = { head: 12, tail: 4 };

/** One move of any role. A move that is not what its role's schema says is shown as it is. */
export function moveLines(role: SetupRole, move: Readonly<Record<string, unknown>>, look: Look): string[] {
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
