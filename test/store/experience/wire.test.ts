import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, serve } from '../../../src/store/experience/wire';

test('answers come whole, long ones in many pieces and short ones in one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wire-'));
  const socket = join(folder, 'socket');
  const text = `é\n${'x'.repeat(8_000_000)}`;
  const served = await serve(socket, async ([first]) => [[{ said: first!.sql === 'long' ? text : first!.sql }]]);
  const connected = (await connect(socket))!;
  try {
    const asked = ['a', 'long', 'b', 'c'].map((sql) => connected.run([{ sql }]));
    const answers = (await Promise.all(asked)).map((rows) => rows[0]![0]!.said);
    expect(answers.map((said) => String(said).length)).toEqual([1, text.length, 1, 1]);
    expect(answers[1] === text).toBe(true);
  } finally {
    connected.close();
    await served.close();
    rmSync(folder, { recursive: true });
  }
}, 20_000);
