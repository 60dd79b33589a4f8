import { randomUUID } from 'node:crypto';
import Docker from 'dockerode';
import { SandboxProfile } from '../../src/contract';
import { openSandboxes } from '../../src/sandbox';
import { runName } from '../../src/sandbox/labels';
import type { CommandResult } from '../../src/sandbox/sandbox';
import { tinyProblem } from '../support/tiny-problem';

/** One sandbox as rollouts get it, with small limits, and commands run in it as the agent's are. */
export class Room {
  readonly docker = new Docker();
  readonly sandboxes = openSandboxes(`security-${randomUUID()}`);
  readonly owner = { workflowId: `test/security/${randomUUID()}`, firstRunId: randomUUID() };
  private jobs = 0;

  static async open(profile: Partial<SandboxProfile> = {}): Promise<Room> {
    const room = new Room();
    const { image, workdir } = await tinyProblem();
    await room.sandboxes.claim({
      owner: room.owner,
      role: 'main',
      image,
      workdir,
      profile: SandboxProfile.parse(profile),
    });
    return room;
  }

  get container(): string {
    return runName(this.owner, 'main');
  }

  run(command: string, seconds = 20): Promise<CommandResult> {
    const id = `probe-${++this.jobs}`;
    return this.sandboxes
      .at(this.container)
      .journal((journal) => journal.run({ id, after: '*', command, timeoutMs: seconds * 1000 }));
  }

  async write(path: string, text: string): Promise<CommandResult> {
    const id = `write-${++this.jobs}`;
    return this.sandboxes
      .at(this.container)
      .journal((journal) => journal.apply({ id, after: '*', kind: 'write', path, bytes: Buffer.from(text), text: '' }));
  }

  async close(): Promise<void> {
    this.sandboxes.close();
    await this.sandboxes.removeAll(this.owner.firstRunId);
  }
}
