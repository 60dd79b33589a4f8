import { setTimeout as delay } from 'node:timers/promises';
import { FileBudgets } from '../../../src/store/local/budgets';
import { SqlBudgets } from '../../../src/store/shared/budgets';
import { openDatabase } from '../../../src/store/shared/rows';

/** Callers in parallel that spend one budget until it refuses them; says how often each was granted. */
async function main(): Promise<void> {
  const [where = '', who, callers, cap, reserve, actual] = process.argv.slice(2);
  const shared = where.startsWith('postgres') ? openDatabase('URL', { URL: where }) : undefined;
  const budget = shared ? new SqlBudgets(shared) : new FileBudgets(where);
  let calls = 0;
  const caller = async (n: number) => {
    for (let k = 0; ; k++) {
      const call = `${who}-${n}-${k}`;
      const verdict = await budget.tryReserve('shared', Number(cap), call, Number(reserve));
      if (verdict === 'spent') return;
      await delay(Math.random() * 4);
      if (verdict === 'in-flight') continue;
      await budget.settle('shared', call, Number(actual));
      calls++;
    }
  };
  await Promise.all(Array.from({ length: Number(callers) }, (_, n) => caller(n)));
  await shared?.close();
  process.stdout.write(String(calls));
}

void main();
