import { randomUUID } from 'node:crypto';
import Docker from 'dockerode';
import { SandboxProfile } from '../../src/contract';
import { SandboxHost } from '../../src/sandbox/host';
import type { CommandResult } from '../../src/sandbox/journal';
import { tinyProblem } from '../support/tiny-problem';

/** One sandbox as rollouts get it, with small limits, and commands run in it as the agent's are. */
export class Room {
  readonly docker = new Docker();
  readonly host = new SandboxHost(this.docker, `security-${randomUUID()}`);
  readonly owner = { workflowId: `test/security/${randomUUID()}`, firstRunId: randomUUID() };
  private jobs = 0;

  static async open(profile: Partial<SandboxProfile> = {}): Promise<Room> {
    const room = new Room();
    const { image, workdir } = await tinyProblem();
    await room.host.ensure({ owner: room.owner, role: 'main', image, workdir, profile: SandboxProfile.parse(profile) });
    return room;
  }

  get container(): string {
    return this.host.nameOf(this.owner, 'main');
  }

  run(command: string, seconds = 20): Promise<CommandResult> {
    const id = `probe-${++this.jobs}`;
    return this.host.journal(this.container, (journal) =>
      journal.run({ id, after: '*', command, timeoutMs: seconds * 1000 }),
    );
  }

  async write(path: string, text: string): Promise<CommandResult> {
    const id = `write-${++this.jobs}`;
    return this.host.journal(this.container, (journal) =>
      journal.apply({ id, after: '*', kind: 'write', path, bytes: Buffer.from(text), text: '' }),
    );
  }

  async close(): Promise<void> {
    this.host.close();
    await this.host.removeAll(this.owner.firstRunId);
  }
}
