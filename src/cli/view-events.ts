import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { RunEvents, TurnEvents } from '../page/viewer/payload';

/** Activities that ask for a turn; every other one whose summary names the turn does it. */
const ASKS: readonly string[] = ['callModel', 'makeMove'];

/**
 * Which events of a history belong to which turn, by the summaries that workflows give their activities (`turn 4 · …`). Of
 * a run that went on as a new one these are the events of the newest execution.
 */
export async function turnEvents(handle: WorkflowHandle, workflowLink: string | undefined): Promise<RunEvents> {
  const { runId } = await handle.describe();
  const { events = [] } = await handle.fetchHistory();
  const turns = new Map<number, { -readonly [name in keyof TurnEvents]: TurnEvents[name] }>();
  const places = new Map<string, { turn: number; asks: boolean }>();
  for (const event of events ?? []) {
    const id = Number(event.eventId);
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const turn = turnIn(event.userMetadata?.summary);
      if (turn === undefined) continue;
      const asks = ASKS.includes(scheduled.activityType?.name ?? '');
      places.set(String(event.eventId), { turn, asks });
      const known = turns.get(turn) ?? { asked: null, answered: null, done: null };
      if (asks) known.asked ??= id;
      turns.set(turn, known);
    }
    const place = places.get(String(event.activityTaskCompletedEventAttributes?.scheduledEventId));
    if (place) turns.get(place.turn)![place.asks ? 'answered' : 'done'] = id;
  }
  const history = workflowLink ? `${workflowLink}/${encodeURIComponent(runId)}/history` : null;
  return { history, runId, turns: Object.fromEntries(turns) };
}

function turnIn(summary: Payload | null | undefined): number | undefined {
  const text: unknown = summary ? defaultPayloadConverter.fromPayload(summary) : undefined;
  // The roles of a set-up count their own turns.
  const found =
    typeof text === 'string' ? /^turn (\d+)\b(?! · (?:verifier|prosecutor|judge) )/.exec(text)?.[1] : undefined;
  return found === undefined ? undefined : Number(found);
}
