import { Client, Connection } from '@temporalio/client';
import { rowsOfRuns } from '../../src/cli/view/dataset';

test('a server that does not answer has not forgotten the runs: that is said, not counted as missing', async () => {
  const connection = Connection.lazy({ address: '127.0.0.1:1' });
  await expect(rowsOfRuns(new Client({ connection }), { runs: ['rollout/one'], method: 'oec' })).rejects.toThrow(
    /unavailable|connect|failed/i,
  );
  await connection.close();
});
