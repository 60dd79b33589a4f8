import { defineDialect, joinThought, toolNamed } from './dialect';

/** One JSON object a reply: `{"thought": "...", "tool": "bash", "args": {"command": "ls"}}`. */
export const json = defineDialect({
  name: 'json',
  howTo: 'Reply with one JSON object: {"thought": "...", "tool": "bash", "args": {"command": "ls"}}.',
  documentation: (tools) => [...tools.values()].map(({ name, manual }) => `${name}: ${manual}`).join('\n'),
  toolParameter: () => undefined,
  renderObservation: (_, content) => ({ role: 'user', content }),
  write: ({ thought, action }) => ({ role: 'assistant', content: JSON.stringify({ thought, ...action }) }),
  misleads: () => false,
  read(reply, tools) {
    try {
      const { thought, tool, args } = JSON.parse(reply.content ?? '');
      const found = toolNamed(tools, String(tool));
      return 'code' in found ? found : { thought: joinThought(String(thought), ''), tool: found, args: args ?? {} };
    } catch {
      return { code: 'missing_action', problem: 'Your reply is no JSON object.' };
    }
  },
});
