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

const SOUND: ScriptedTurn = { thought: 'Let me look around.', tool: 'bash', args: { command: 'echo rehearsal' } };
const HUGE = 5 * 1024 * 1024;

export function malformedReply(kind: MalformedKind, dialect: DialectName, callId: string): Reply {
  const sound = renderReply(SOUND, dialect, callId);
  const of = (turn: Partial<ScriptedTurn>) => renderReply({ ...SOUND, ...turn }, dialect, callId);
  const asCall = (text: string): Reply =>
    dialect === 'tools'
      ? { content: SOUND.thought, toolCalls: [{ id: callId, name: 'bash', arguments: text }] }
      : { content: `${SOUND.thought}\n\n${text}`, toolCalls: [] };
  switch (kind) {
    case 'cut':
      return dialect === 'tools'
        ? asCall('{"command": "echo reh')
        : { ...sound, content: sound.content?.slice(0, -6) ?? '' };
    case 'not_json':
      return asCall('echo rehearsal');
    case 'object_as_text':
      return { content: JSON.stringify({ name: 'bash', arguments: SOUND.args }), toolCalls: [] };
    case 'unknown_tool':
      return of({ tool: 'shell_exec' });
    case 'two_calls':
      return dialect === 'tools'
        ? {
            ...sound,
            toolCalls: [...sound.toolCalls, ...sound.toolCalls.map((call) => ({ ...call, id: `${call.id}b` }))],
          }
        : { ...sound, content: `${sound.content}\n\n${sound.content}` };
    case 'missing_argument':
      return of({ args: {} });
    case 'wrong_type':
      return of({ args: { command: 7 } });
    case 'prose':
      return { content: 'I think that the bug is in the parser. Shall I go on?', toolCalls: [] };
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
