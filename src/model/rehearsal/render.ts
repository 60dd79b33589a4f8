import type { DialectName, RawReply } from '../../contract';
import { DIALECTS } from '../../rollout/dialects';
import { rawReply } from '../../rollout/dialects/dialect';

/** A scripted turn: what the policy thinks and does. */
export interface ScriptedTurn {
  readonly thought: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

export type Reply = Pick<RawReply, 'content' | 'toolCalls'>;

/** Arguments that hold text of several lines stand on lines of their own, as the models were trained. */
const BLOCKS = new Set(['file_text', 'old_str', 'new_str']);

type Render = (turn: ScriptedTurn, callId: string) => Reply;

/**
 * Written here once more and by themselves, so that a mistake of our own dialects does not cancel itself out. A dialect
 * that is not among them is written by its own code.
 */
const RENDERERS: Readonly<Partial<Record<DialectName, Render>>> = {
  tools: (turn, callId) => {
    const call = { id: callId, name: turn.tool, arguments: JSON.stringify(turn.args) };
    return { content: turn.thought === '' ? null : turn.thought, toolCalls: [call] };
  },
  xml: (turn) => ({ content: joined(turn.thought, xml(turn)), toolCalls: [] }),
  backticks: (turn) => ({ content: joined(turn.thought, `\`\`\`\n${shellLine(turn)}\n\`\`\``), toolCalls: [] }),
};

/** The reply of a model that speaks `dialect`. `callId` names the call in the dialects that have ids. */
export function renderReply(turn: ScriptedTurn, dialect: DialectName, callId: string): Reply {
  const render = RENDERERS[dialect];
  if (render) return render(turn, callId);
  const { thought, tool, args } = turn;
  return rawReply(DIALECTS[dialect].renderTurn({ turn: 0, thought, action: { tool, args } }).message);
}

function joined(thought: string, action: string): string {
  return thought === '' ? action : `${thought}\n\n${action}`;
}

function xml({ tool, args }: ScriptedTurn): string {
  const parameters = Object.entries(args).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `<parameter=${key}>${BLOCKS.has(key) ? `\n${text}\n` : text}</parameter>\n`;
  });
  return `<function=${tool}>\n${parameters.join('')}</function>`;
}

/** The order of the editor's options in the command line that models were trained on. */
const OPTIONS = ['file_text', 'view_range', 'old_str', 'new_str', 'insert_line'];

/** `bash` is its command as it stands; other tools are command lines: path and command bare, the rest as options. */
function shellLine({ tool, args }: ScriptedTurn): string {
  if (tool === 'bash') return String(args.command ?? '');
  const { command, path, ...options } = args;
  const words = [tool, ...[command, path].filter((value) => value !== undefined).map(quoted)];
  const inOrder = Object.entries(options).sort(([a], [b]) => OPTIONS.indexOf(a) - OPTIONS.indexOf(b));
  for (const [key, value] of inOrder) {
    words.push(`--${key}`, Array.isArray(value) ? value.map(quoted).join(' ') : quoted(value));
  }
  return words.join(' ');
}

function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}
