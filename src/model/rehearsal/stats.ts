/** How many requests were made, by model and by conversation. `answers` counts the sound answers given for each turn. */
export interface RehearsalStats {
  requests: number;
  answered: number;
  inFlight: number;
  maxInFlight: number;
  /** Requests whose caller went away before the answer was complete. */
  abandoned: number;
  /** TCP connections ever opened. */
  connections: number;
  faults: Record<string, number>;
  models: Record<string, { requests: number; answered: number; faults: number }>;
  conversations: Record<string, { requests: number; answers: Record<string, number> }>;
}

/** One line of the log file. `k` is the turn, from 1; `fault` is null for a sound answer. */
export interface LogLine {
  at: string;
  model: string;
  conversation: string;
  k: number;
  bytes: number;
  tIn: number;
  tOut: number;
  fault: string | null;
  /** Of a model with `tokens`: digest of those that were sampled. */
  tokens?: string;
}

/** A long benchmark must not grow the server: conversations beyond this many are counted in the totals only. */
const REMEMBERED = 20_000;

/** Counts what the server does, in memory. */
export class Tally {
  private known = 0;
  readonly stats: RehearsalStats = {
    requests: 0,
    answered: 0,
    inFlight: 0,
    maxInFlight: 0,
    abandoned: 0,
    connections: 0,
    faults: {},
    models: {},
    conversations: {},
  };

  began(): void {
    this.stats.inFlight++;
    this.stats.maxInFlight = Math.max(this.stats.maxInFlight, this.stats.inFlight);
  }

  ended(complete: boolean): void {
    this.stats.inFlight--;
    if (!complete) this.stats.abandoned++;
  }

  note(line: LogLine): void {
    const { stats } = this;
    const model = stats.models[line.model] ?? { requests: 0, answered: 0, faults: 0 };
    stats.models[line.model] = model;
    const conversation = this.conversation(line.conversation);
    const answered = line.tOut > 0 ? 1 : 0;
    stats.requests++;
    stats.answered += answered;
    model.requests++;
    model.answered += answered;
    if (line.fault !== null) {
      model.faults++;
      stats.faults[line.fault] = (stats.faults[line.fault] ?? 0) + 1;
    }
    if (!conversation) return;
    conversation.requests++;
    if (answered) conversation.answers[line.k] = (conversation.answers[line.k] ?? 0) + 1;
  }

  /** Forgets everything but what is going on. */
  reset(): void {
    Object.assign(this.stats, { requests: 0, answered: 0, abandoned: 0, faults: {}, models: {}, conversations: {} });
    this.stats.maxInFlight = this.stats.inFlight;
    this.known = 0;
  }

  private conversation(name: string): RehearsalStats['conversations'][string] | undefined {
    const found = this.stats.conversations[name];
    if (found || this.known >= REMEMBERED) return found;
    this.known++;
    const fresh = { requests: 0, answers: {} };
    this.stats.conversations[name] = fresh;
    return fresh;
  }
}
