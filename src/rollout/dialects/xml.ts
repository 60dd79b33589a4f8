import type { Action } from '../../contract/step';
import { type Param, TOOLS, type ToolTable } from '../tools';
import { defineDialect } from './dialect';
import { findFunctionTags } from './function-tags';

/** The format of SWE-agent-LM: `<function=NAME>` with `<parameter=NAME>` values in it, nothing escaped. */
export const xml = defineDialect({
  name: 'xml',
  unit: 'function call',
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
  find: (reply, table) => findFunctionTags(reply.content ?? '', table, reply.finishReason === 'length'),
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
