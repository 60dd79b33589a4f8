import { readFileSync } from 'node:fs';
import type { WorkflowHandle } from '@temporalio/client';
import type { World } from '../test/support/world';

/** One request as the scripted server saw it: conversation, assistant messages so far, seconds in and out. */
interface Seen {
  readonly conv: string;
  readonly k: number;
  readonly t_in: number;
  readonly t_out: number;
}

export interface StepTimes {
  readonly steps: number;
  readonly min: number;
  readonly p10: number;
  readonly p50: number;
  readonly p95: number;
  readonly first10: number;
  readonly last10: number;
  readonly stepsPerSecond: number;
}

/**
 * Milliseconds from a reply of the model server to the next request of the same conversation: everything that a harness
 * does in a step (parse, run the command, record, render, call). The first step of a conversation is warm-up.
 */
export function stepTimes(log: string, prefix: string): StepTimes {
  const conversations = new Map<string, Seen[]>();
  for (const line of readFileSync(log, 'utf8').split('\n').filter(Boolean)) {
    const seen = JSON.parse(line) as Seen;
    if (!seen.conv.startsWith(prefix)) continue;
    conversations.set(seen.conv, [...(conversations.get(seen.conv) ?? []), seen]);
  }
  const [all, first, last]: number[][] = [[], [], []];
  let [begin, end, requests] = [Number.POSITIVE_INFINITY, 0, 0];
  for (const seen of conversations.values()) {
    seen.sort((a, b) => a.k - b.k);
    const gaps = seen
      .slice(1)
      .map((next, i) => 1000 * (next.t_in - seen[i]!.t_out))
      .slice(1);
    all!.push(...gaps);
    first!.push(...gaps.slice(0, 10));
    last!.push(...gaps.slice(-10));
    requests += seen.length;
    begin = Math.min(begin, seen[0]!.t_in);
    end = Math.max(end, seen.at(-1)!.t_out);
  }
  const sorted = all!.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return {
    steps: sorted.length,
    min: at(0),
    p10: at(0.1),
    p50: at(0.5),
    p95: at(0.95),
    first10: median(first!),
    last10: median(last!),
    stepsPerSecond: requests / (end - begin),
  };
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export interface Took {
  /** Of the activity, with which of its kind it is. */
  readonly name: string;
  /** Milliseconds since the rollout began, and from schedule to end. */
  readonly from: number;
  readonly ms: number;
}

type Events = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>;

export async function eventsOf(world: World, id: string): Promise<Events> {
  return (await world.client.workflow.getHandle(id).fetchHistory()).events ?? [];
}

/** The activities of a history that were completed, in order; `began` is when the rollout did, in ms. */
export function tookOf(events: Events, who: string, began: number): Took[] {
  const times = new Map<string, number>();
  return events.flatMap(({ eventId, eventTime, activityTaskScheduledEventAttributes: scheduled }) => {
    const type = scheduled?.activityType?.name;
    const end = events.find(
      ({ activityTaskCompletedEventAttributes: done }) => done && String(done.scheduledEventId) === String(eventId),
    );
    if (!type || !end) return [];
    times.set(type, (times.get(type) ?? 0) + 1);
    const from = millis(eventTime);
    return [
      {
        name: `${who}: ${type} ${times.get(type)}`,
        from: from - began,
        ms: millis(end.eventTime) - from,
      },
    ];
  });
}

export function millis(time?: { seconds?: unknown; nanos?: number | null } | null): number {
  return Number(time?.seconds ?? 0) * 1000 + Number(time?.nanos ?? 0) / 1e6;
}
