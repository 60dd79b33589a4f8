import { PointsmanError } from '../../contract';
import { assertAmount, type BudgetStatus, type Budgets, type BudgetVerdict, refusal } from '../budgets';
import { type Database, type Row, statement } from '../database';

/** A movement is one call of a function of the database, which locks its budget: see `migrations/0001-tables.sql`. */
export class SqlBudgets implements Budgets {
  constructor(private readonly database: Database) {}

  async reserve(name: string, capUsd: number, callId: string, amountUsd: number): Promise<void> {
    const verdict = await this.tryReserve(name, capUsd, callId, amountUsd);
    if (verdict !== 'granted') throw refusal({ name, capUsd, amountUsd, verdict }, await this.status(name));
  }

  async tryReserve(name: string, capUsd: number, callId: string, amountUsd: number): Promise<BudgetVerdict> {
    assertAmount(amountUsd, 'amountUsd');
    assertAmount(capUsd, 'capUsd');
    const [row] = await this.rows(
      'select pointsman.budget_reserve($1, $2, $3::numeric, $4::numeric) as verdict',
      name,
      callId,
      amountUsd,
      capUsd,
    );
    return verdictOf(row?.verdict);
  }

  async settle(name: string, callId: string, actualUsd: number): Promise<void> {
    assertAmount(actualUsd, 'actualUsd');
    await this.rows('select pointsman.budget_settle($1, $2, $3::numeric)', name, callId, actualUsd);
  }

  async release(name: string, callId: string): Promise<void> {
    await this.rows('select pointsman.budget_release($1, $2)', name, callId);
  }

  async status(name: string): Promise<BudgetStatus> {
    const [budgets, calls] = await this.database.run([
      statement('select spent, reserved from pointsman.budgets where name = $1 for share', name),
      statement('select call, usd from pointsman.budget_calls where budget = $1 and not settled order by call', name),
    ]);
    const [budget] = budgets ?? [];
    return {
      spentUsd: Number(budget?.spent ?? 0),
      reservedUsd: Number(budget?.reserved ?? 0),
      open: (calls ?? []).map(({ call, usd }) => ({ call: String(call), usd: Number(usd) })),
    };
  }

  /** The database is closed by whoever opened it. */
  async close(): Promise<void> {}

  private async rows(sql: string, ...parameters: readonly (string | number)[]): Promise<Row[]> {
    const [rows = []] = await this.database.run([statement(sql, ...parameters)]);
    return rows;
  }
}

function verdictOf(said: unknown): BudgetVerdict {
  if (said === 'granted' || said === 'spent' || said === 'in-flight') return said;
  throw new PointsmanError('Unavailable', `the database gave no verdict on a reservation (found ${String(said)})`);
}
