import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gate, type Places } from '../../model';
import { type Database, statement } from '../database';

/** A place is its holder's for so long after his last word, and he speaks so often. */
const LEASE_SECONDS = 60;
const BEAT_MS = 15_000;
/** Between two questions whether there is a place now; up to twice as long, so that hosts do not ask in step. */
const WAIT_MS = 150;

/** A row a place. One caller of a process asks for each name, and the others stand behind him. */
export class SqlPlaces implements Places {
  private readonly held = new Set<string>();
  private readonly asking = new Map<string, Gate>();
  private beat: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  async take(name: string, most: number, signal?: AbortSignal): Promise<() => void> {
    const gate = this.asking.get(name) ?? new Gate(1);
    this.asking.set(name, gate);
    const leave = await gate.enter(signal);
    const holder = randomUUID();
    try {
      while (!(await this.isTaken(name, holder, most))) {
        await sleep(WAIT_MS * (1 + Math.random()), undefined, { signal });
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw error;
    } finally {
      leave();
    }
    this.held.add(holder);
    this.beat ??= setInterval(() => void this.renew(), BEAT_MS).unref();
    return () => void this.giveBack(holder);
  }

  /** Gives back what is held: of a process that ends. */
  async close(): Promise<void> {
    clearInterval(this.beat);
    this.beat = undefined;
    await Promise.all([...this.held].map((holder) => this.giveBack(holder)));
  }

  private async isTaken(name: string, holder: string, most: number): Promise<boolean> {
    const sql = 'select pointsman.place_take($1, $2::uuid, $3, $4) as taken';
    const [rows] = await this.database.run([statement(sql, name, holder, most, LEASE_SECONDS)]);
    return rows?.[0]?.taken === true;
  }

  /** What fails here is free when its time is over. */
  private async giveBack(holder: string): Promise<void> {
    if (!this.held.delete(holder)) return;
    const sql = 'delete from pointsman.places where holder = $1::uuid';
    await this.database.run([statement(sql, holder)]).catch(() => {});
  }

  private async renew(): Promise<void> {
    const sql = `update pointsman.places set until = clock_timestamp() + make_interval(secs => $1)
      where holder in (select value::uuid from json_array_elements_text($2::json))`;
    const renewal = statement(sql, LEASE_SECONDS, JSON.stringify([...this.held]));
    if (this.held.size > 0) await this.database.run([renewal]).catch(() => {});
  }
}
