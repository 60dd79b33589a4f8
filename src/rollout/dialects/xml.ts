import type { Action } from '../../contract/step';
import { preview } from '../clip';
import { type Param, TOOLS, type Tool, type ToolTable } from '../tools';
import { defineDialect, joinThought, type Problem, toolNamed, withoutSeparator } from './dialect';

/** The format of SWE-agent-LM: `<function=NAME>` with `<parameter=NAME>` values in it, nothing escaped. */
export const xml = defineDialect({
  name: 'xml',
  howTo: [
    'Write your reasoning first, then one function call in this form and nothing after it:',
    '<function=bash>\n<parameter=command>ls</parameter>\n</function>',
  ].join('\n'),
  documentation,
  toolParameter: () => undefined,
  renderObservation: (_, content) => ({ role: 'user', content }),
  write: ({ thought, action }) => ({
    role: 'assistant',
    content: `${thought === '' ? '' : `${thought}\n\n`}${writeCall(action)}`,
  }),
  /** Our reader finds most of these values' ends from what follows; the readers models are deployed with do not. */
  misleads: (action) =>
    Object.values(action.args).some((value) => typeof value === 'string' && /<\/(?:parameter|function)>/.test(value)),
  read(reply, table) {
    const content = reply.content ?? '';
    const open = /<function=([^<>\n]{0,200})>/.exec(content);
    if (!open) return { code: 'missing_action', problem: 'Your reply has no function call.' };
    const tool = toolNamed(table, (open[1] ?? '').trim());
    if ('code' in tool) return tool;
    const call = readCall(content, open.index + open[0].length, tool, reply.finishReason === 'length');
    if ('code' in call) return call;
    const after = content.slice(call.end);
    if (/<function=[^<>\n]{0,200}>/.test(after)) {
      return {
        code: 'multiple_actions',
        problem: 'Your reply has several function calls; none was run. Make one at a time.',
      };
    }
    if (/<\/(?:parameter|function)>/.test(after)) return misplaced(after);
    return { thought: joinThought(withoutSeparator(content.slice(0, open.index)), after), tool, args: call.args };
  },
});

function writeCall({ tool, args }: Action): string {
  const params = TOOLS.get(tool)?.params ?? [];
  const lines = Object.entries(args).map(([name, value]) => {
    const text = Array.isArray(value) ? `[${value.join(', ')}]` : String(value);
    // A reader drops one line end at either side, so a value that has its own needs one more.
    const own = params.find((param) => param.name === name)?.ownLines || /^\n|\n$/.test(text);
    return `<parameter=${name}>${own ? `\n${text}\n` : text}</parameter>\n`;
  });
  return `<function=${tool}>\n${lines.join('')}</function>`;
}

interface Body {
  readonly args: Record<string, unknown>;
  /** Offset behind the call's closing tag. */
  readonly end: number;
}

/** Reads parameters from `from` to the closing tag, which servers that stop at it leave out. */
function readCall(text: string, from: number, tool: Tool, cut: boolean): Body | Problem {
  const args = new Map<string, string>();
  const next = /\s*(?:<\/function>|<parameter=([^<>\n]{0,200})>|$)/y;
  let at = from;
  for (;;) {
    next.lastIndex = at;
    const hit = next.exec(text);
    if (!hit) return misplaced(text.slice(at));
    at = next.lastIndex;
    if (hit[1] === undefined) {
      if (hit[0].trim() === '' && cut) return unclosed(tool, '</function>');
      return { args: Object.fromEntries(args), end: at };
    }
    const name = hit[1].trim();
    if (args.has(name)) {
      return {
        code: 'invalid_arguments',
        problem: `The parameter "${preview(name, 60)}" of ${tool.name} is given twice.`,
      };
    }
    const end = valueEnd(text, at);
    if (end === undefined) return unclosed(tool, '</parameter>');
    args.set(name, text.slice(at, end).replace(/^\n/, '').replace(/\n$/, ''));
    at = end + '</parameter>'.length;
  }
}

/** The first closing tag that something a call goes on with follows: values may hold tags themselves. */
function valueEnd(text: string, from: number): number | undefined {
  const close = /<\/parameter>(?=(\s*)(?:<\/function>|<parameter=|$))/g;
  close.lastIndex = from;
  return close.exec(text)?.index;
}

function misplaced(text: string): Problem {
  return {
    code: 'invalid_arguments',
    problem: `The call holds text outside of its parameters, or a value with a closing tag in it, near: ${preview(text.trim(), 120)}`,
  };
}

function unclosed(tool: Tool, tag: string): Problem {
  return { code: 'invalid_arguments', problem: `The call of ${tool.name} is not complete: ${tag} is missing.` };
}

/** Tool descriptions in the block form that SWE-agent-LM was trained on. */
function documentation(table: ToolTable): string {
  const blocks = [...table.values()].map((tool, i) => {
    const n = i + 1;
    const params = tool.params.map(describe).join('\n');
    const body = params === '' ? 'No parameters are required for this function.' : `\nParameters:\n${params}`;
    return `---- BEGIN FUNCTION #${n}: ${tool.name} ----\nDescription: ${tool.manual}\n${body}\n---- END FUNCTION #${n} ----`;
  });
  return blocks.join('\n\n');
}

function describe(param: Param, i: number): string {
  const type = param.type === 'integers' ? 'array' : param.type;
  const values = param.values ? `\nAllowed values: [${param.values.map((v) => `\`${v}\``).join(', ')}]` : '';
  return `  (${i + 1}) ${param.name} (${type}, ${param.required ? 'required' : 'optional'}): ${param.description}${values}`;
}
