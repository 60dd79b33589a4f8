import { defineDialect, readCall } from 'pointsman/extend';

/** One JSON object a reply: `{"thought": "...", "tool": "bash", "args": {"command": "ls"}}`. */
export const json = defineDialect({
  name: 'json',
  unit: 'JSON object',
  howTo: 'Reply with one JSON object: {"thought": "...", "tool": "bash", "args": {"command": "ls"}}.',
  documentation: (tools) => [...tools.values()].map(({ name, manual }) => `${name}: ${manual}`).join('\n'),
  toolParameter: () => undefined,
  renderObservation: (_, content) => ({ role: 'user', content }),
  write: ({ thought, action }) => ({ role: 'assistant', content: JSON.stringify({ thought, ...action }) }),
  misleads: () => false,
  find(reply, tools) {
    const content = reply.content ?? '';
    try {
      const { thought, tool, args } = JSON.parse(content);
      const call = readCall({ name: String(tool), args: args ?? {} }, tools);
      return 'code' in call ? call : { ...call, thought: String(thought), start: 0, end: content.length, more: 0 };
    } catch {
      return { code: 'missing_action', problem: 'Your reply is no JSON object.' };
    }
  },
});
