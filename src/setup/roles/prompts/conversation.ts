import type { ChatMessage } from '../../../contract';
import { cutMiddle } from '../../../rollout/clip';
import { formsOf, type Moves } from '../read-move';
import type { Observed, Seen } from '../role';

/** What ends each system prompt: one object a turn, and which there are. */
export function formatOf(schema: Moves, meanings: Readonly<Record<string, string>>): string {
  return [
    'Answer each turn with exactly one JSON object, and nothing else. A question mark marks a field that may be left out.',
    '"thought" is for your reasoning in a sentence or two.',
    '',
    ...formsOf(schema).flatMap((form) => {
      const name = /^\{"(?:action|move)": "(\w+)"/.exec(form)?.[1] ?? '';
      return [form, `    ${meanings[name] ?? ''}`];
    }),
  ].join('\n');
}

/** What a command printed, as a model is told: head and tail of `chars` characters each, the cut marked. */
function observationOf({ exitCode, output, timedOut }: Observed, chars: number): string {
  const { head, tail, elided } = cutMiddle(output, 2 * chars);
  const text = elided > 0 ? `${head}\n[${elided} characters left out]\n${tail}` : head;
  const end = timedOut ? 'It was stopped at its deadline.' : exitCode === null ? '' : `exit code ${exitCode}`;
  return [text.trim() === '' ? '(no output)' : text, end].filter((part) => part !== '').join('\n');
}

/** The conversation so far: each move as the model wrote it, each observation as its answer. */
export function conversation<Move>(
  system: string,
  first: string,
  seen: readonly Seen<Move>[],
  chars: number,
  notes: (at: number) => readonly string[] = () => [],
): ChatMessage[] {
  return [
    { role: 'system', content: system },
    { role: 'user', content: first },
    ...seen.flatMap(({ move, observed }, at): ChatMessage[] => [
      { role: 'assistant', content: JSON.stringify(move) },
      { role: 'user', content: [observationOf(observed, chars), ...notes(at)].join('\n') },
    ]),
  ];
}

/** A section of a prompt; left out where there is nothing to say. */
export function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n${lines.join('\n')}\n`;
}
