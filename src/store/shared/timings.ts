import { Timing } from '../../contract/step';
import { type Database, statement } from '../database';
import type { Timings } from '../timings';

/** A row a step. */
export class SqlTimings implements Timings {
  constructor(private readonly database: Database) {}

  async record(run: string, timing: Timing): Promise<void> {
    await this.database.run([
      statement(
        `insert into pointsman.timings values ($1, $2, $3)
          on conflict (run, turn) do update set timing = excluded.timing`,
        run,
        timing.turn,
        JSON.stringify(timing),
      ),
    ]);
  }

  async of(run: string): Promise<Map<number, Timing>> {
    const [rows = []] = await this.database.run([
      statement('select timing from pointsman.timings where run = $1 order by turn', run),
    ]);
    const timings = rows.map(({ timing }) => Timing.parse(JSON.parse(String(timing))));
    return new Map(timings.map((timing) => [timing.turn, timing]));
  }
}
