import type { FrameRecord } from '../../contract';
import { columnsOf, shortened } from '../columns';
import { duration } from '../figures';
import { ink } from '../ink';
import { safeLine } from '../safe-text';
import type { Look } from '../shown-run';

/**
 * Frames as a tree: the newest child goes on in its parent's column, and what a rollback left behind branches off to the
 * right. `●` stands, `✗` was dropped.
 */
export function frameTree(frames: readonly FrameRecord[], look: Look): string[] {
  const children = new Map<number | null, FrameRecord[]>();
  for (const frame of frames) children.set(frame.parent, [...(children.get(frame.parent) ?? []), frame]);
  const lines: string[] = [];
  // Of a list of siblings the last one is the trunk; a loop follows it, so that a long stack needs no recursion.
  const draw = (siblings: readonly FrameRecord[], margin: string): void => {
    for (let level = siblings; level.length > 0; ) {
      for (const branch of level.slice(0, -1)) {
        lines.push(frameLine(branch, `${margin}├─`, look));
        draw(children.get(branch.index) ?? [], `${margin}│ `);
      }
      const trunk = level.at(-1)!;
      lines.push(frameLine(trunk, margin, look));
      level = children.get(trunk.index) ?? [];
    }
  };
  draw(children.get(null) ?? [], '');
  return lines;
}

function frameLine({ index, label, turn, mib, seconds, rules, droppedAt }: FrameRecord, margin: string, look: Look) {
  const paint = ink(look.coloured);
  const facts = [
    `turn ${turn}`,
    `${mib.toFixed(1)} MiB`,
    duration(seconds * 1000),
    ...(rules.length > 0 ? [rules.map(safeLine).join(', ')] : []),
    ...(droppedAt === null ? [] : [`dropped at turn ${droppedAt}`]),
  ].join(' · ');
  const start = `${margin}${droppedAt === null ? '●' : '✗'} ${index} `;
  const room = Math.max(8, look.width - columnsOf(start) - columnsOf(facts) - 2);
  const line = `${start}${shortened(safeLine(label), room)}  ${facts}`;
  return droppedAt === null ? shortened(line, look.width) : paint.dim(shortened(line, look.width));
}
