import { quote, type Tool, z } from 'pointsman/extend';

/** Finds a text in the files of the work directory. */
export const search: Tool = {
  name: 'search',
  aliases: ['grep'],
  description: 'finds a text in the files below the working directory',
  manual: 'Find a text in the files below the working directory; prints FILE:LINE:TEXT.',
  params: [{ name: 'text', type: 'string', required: true, description: 'The text to find, as it stands.' }],
  args: z.strictObject({ text: z.string().min(1) }),
  line: { positional: ['text'], options: [] },
  does: { kind: 'command', command: ({ text }) => `grep -rnF -- ${quote(String(text))} . | head -n 50` },
};
