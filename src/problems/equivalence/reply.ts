import { splitReasoning } from '../../rollout/reasoning';

/**
 * The fenced blocks of a model's reply, in order, without their fences and dedented. The last may lack its closing fence:
 * a reply that was cut off is still read as far as it goes. A fence of more backticks may hold fences of fewer.
 */
export function codeBlocks(reply: string): string[] {
  const blocks: string[] = [];
  let open: { fence: string; indent: number; lines: string[] } | undefined;
  for (const line of answerOf(reply).split(/\r?\n/)) {
    const fence = /^(\s*)(`{3,}|~{3,})\s*([^`]*)$/.exec(line);
    if (!open) {
      if (fence) open = { fence: fence[2]!, indent: fence[1]!.length, lines: [] };
    } else if (fence && fence[3] === '' && fence[2]!.startsWith(open.fence)) {
      blocks.push(open.lines.join('\n'));
      open = undefined;
    } else open.lines.push(line.slice(Math.min(open.indent, /^\s*/.exec(line)![0].length)));
  }
  if (open) blocks.push(open.lines.join('\n'));
  return blocks.filter((block) => block.trim() !== '');
}

/** A reply without the reasoning before it. */
export function answerOf(reply: string): string {
  return splitReasoning(reply, /`{3,}/g).said;
}
