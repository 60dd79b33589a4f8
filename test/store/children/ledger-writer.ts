import { FileLedger } from '../../../src/store/local/ledger';
import { answerOf } from '../ledger-answer';

/** Writes answers until it is killed. */
async function main(): Promise<void> {
  const ledger = new FileLedger(process.argv[2]!);
  const from = Number(process.argv[3]);
  process.stdout.write('ready\n');
  for (let turn = from; ; turn++) {
    await ledger.record({ run: 'r', turn: turn % 500, attempt: 0 }, `hash ${turn}`, answerOf('x'.repeat(200_000)));
  }
}

void main();
