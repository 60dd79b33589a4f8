import { figures } from '../support/figures';
import { EGRESS } from './probes';
import { Room } from './room';

let room: Room;
let probed = 0;
beforeAll(async () => {
  // What a firewalled host's worker has in its environment must not come along into a sandbox without a network.
  process.env.HTTPS_PROXY ??= 'http://proxy.invalid:3128';
  room = await Room.open();
});
afterAll(async () => {
  figures('12 no egress', { probes: probed });
  await room?.close();
});

test.each(EGRESS.map((probe) => [probe.name, probe] as const))('%s', async (_, { command, denied, output }) => {
  const { exitCode, output: bytes } = await room.run(command);
  if (denied) expect(exitCode).not.toBe(0);
  if (output) expect(bytes.toString()).toMatch(output);
  probed++;
});
