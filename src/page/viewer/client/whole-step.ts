import type { SetupStep, Step } from '../../../contract';
import { actionView, moveView } from '../action-view';
import type { ActionView, Clip, TurnView } from '../payload';
import type { PageData } from './data';

export interface WholeStep {
  readonly thought: string | undefined;
  readonly action: ActionView;
  readonly refused: readonly { readonly reply: string; readonly told: string }[];
}

/** The step's own blob, read once, for the parts of it that were cut. */
export function wholeOf(turn: TurnView, data: PageData): () => Promise<WholeStep> {
  let read: Promise<WholeStep> | undefined;
  return () => {
    read ??= data.blob(turn.hash).then((text) => {
      if (text === undefined) return { thought: undefined, action: turn.action, refused: [] };
      const step = JSON.parse(text) as Step | SetupStep;
      const everything = Number.POSITIVE_INFINITY;
      return {
        thought: step.kind === 'step' ? step.turn.thought : String(step.turn.move.thought ?? ''),
        action: step.kind === 'step' ? actionView(step.turn.action, everything) : moveView(step.turn.move, everything),
        refused: step.turn.rejected.map(({ reply, error }) => ({
          reply: [reply.content ?? '', ...reply.toolCalls.map((call) => `${call.name} ${call.arguments}`)]
            .filter(Boolean)
            .join('\n'),
          told: error.observation,
        })),
      };
    });
    return read;
  };
}

/** The whole text of one side; undefined where what was read is still cut. */
export function textIn(action: ActionView, name: 'text' | 'removed' | 'added'): string | undefined {
  const clip = (action as unknown as Record<string, Clip | null | undefined>)[name];
  return clip && clip.hidden === 0 ? clip.head : undefined;
}
