import { z } from 'zod';
import type { DialectName } from '../../contract';
import { type Reply, renderReply, type ScriptedTurn } from './render';

/** Ways in which real models get a turn wrong. The server answers soundly; the harness must tell the model. */
export const MalformedKind = z.enum([
  'cut',
  'not_json',
  'object_as_text',
  'unknown_tool',
  'two_calls',
  'missing_argument',
  'wrong_type',
  'prose',
  'empty',
  'nul',
  'ansi',
  'huge',
]);
export type MalformedKind = z.infer<typeof MalformedKind>;

const HUGE = 5 * 1024 * 1024;

/**
 * `n` numbers the slip in its script and stands in its words, so that a history which shows only the last of several
 * slips still tells which one that was.
 */
export function malformedReply(kind: MalformedKind, dialect: DialectName, callId: string, n: number): Reply {
  const sound: ScriptedTurn = {
    thought: `Let me look around (slip ${n}).`,
    tool: 'bash',
    args: { command: `echo rehearsal ${n}` },
  };
  const written = renderReply(sound, dialect, callId);
  const of = (turn: Partial<ScriptedTurn>) => renderReply({ ...sound, ...turn }, dialect, callId);
  const asCall = (text: string): Reply =>
    dialect === 'tools'
      ? { content: sound.thought, toolCalls: [{ id: callId, name: 'bash', arguments: text }] }
      : { content: `${sound.thought}\n\n${text}`, toolCalls: [] };
  switch (kind) {
    case 'cut':
      return dialect === 'tools'
        ? asCall('{"command": "echo reh')
        : { ...written, content: written.content?.slice(0, -6) ?? '' };
    case 'not_json':
      return asCall('echo rehearsal');
    case 'object_as_text':
      return { content: JSON.stringify({ name: 'bash', arguments: sound.args }), toolCalls: [] };
    case 'unknown_tool':
      return of({ tool: 'shell_exec' });
    case 'two_calls':
      return dialect === 'tools'
        ? {
            ...written,
            toolCalls: [...written.toolCalls, ...written.toolCalls.map((call) => ({ ...call, id: `${call.id}b` }))],
          }
        : { ...written, content: `${written.content}\n\n${written.content}` };
    case 'missing_argument':
      return of({ args: {} });
    case 'wrong_type':
      return of({ args: { command: 7 } });
    case 'prose':
      return { content: `I think that the bug is in the parser. Shall I go on (slip ${n})?`, toolCalls: [] };
    case 'empty':
      return { content: '', toolCalls: [] };
    case 'nul':
      return of({ args: { command: 'echo \u0000\u0001' } });
    case 'ansi':
      return { content: '\u001b[31merror\u001b[0m\u001b]0;title\u0007', toolCalls: [] };
    case 'huge':
      return { content: 'x'.repeat(HUGE), toolCalls: [] };
    default:
      return kind satisfies never;
  }
}
