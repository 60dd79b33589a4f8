import { quote } from '../../rollout/shell';
import type { RunPage } from './payload';

export interface Command {
  readonly label: string;
  readonly text: string;
}

/** Commands that show, repeat or branch off what is looked at. `turn` is null for the run as a whole. */
export function commandsOf(
  { line, head, live }: Pick<RunPage, 'line' | 'head' | 'live'>,
  turn: number | null,
): Command[] {
  const noun = line.kind === 'setup' ? 'setup' : 'rollout';
  const at = turn === null ? '' : ` --${line.kind === 'setup' ? 'step' : 'turn'} ${turn}`;
  const known = line.id !== head;
  const name = quote(line.id);
  return [
    { label: 'Read it in a terminal', text: `pointsman ${noun} show ${name}${at}` },
    ...(known && line.kind === 'rollout'
      ? [
          {
            label: turn === null ? 'Run the problem again from the start' : `Go on from here: keep ${turn} turns`,
            text: `pointsman rollout fork ${name} --step ${turn ?? 0}`,
          },
        ]
      : []),
    ...(live ? [{ label: 'Follow it', text: `pointsman ${noun} watch ${name}` }] : []),
    ...(known ? [{ label: 'Its history', text: `temporal workflow show --workflow-id ${name}` }] : []),
  ];
}
