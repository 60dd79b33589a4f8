import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { SandboxProfile } from '../../src/contract';
import { openSandboxes } from '../../src/sandbox';
import { JournalStream, keysOf } from '../../src/sandbox/docker/journal';
import { runName } from '../../src/sandbox/labels';
import type { RunRequest } from '../../src/sandbox/sandbox';
import { tinyProblem } from '../support/tiny-problem';

/** A sandbox with its exec journal, which the suite that asks for it has from its first test to its last. */
export class JournalSandbox {
  readonly secret = randomBytes(32);
  readonly sandboxes = openSandboxes('test', this.secret);
  readonly owner = { workflowId: `test/journal/${randomUUID()}`, firstRunId: randomUUID() };
  readonly name = runName(this.owner, 'main');
  readonly container = new Docker().getContainer(this.name);
  journal!: JournalStream;
  private jobs = 0;

  constructor() {
    beforeAll(async () => {
      const { image, workdir } = await tinyProblem();
      const profile = SandboxProfile.parse({ memoryMiB: 512 });
      await this.sandboxes.claim({ owner: this.owner, role: 'main', image, workdir, profile });
      await this.reopen();
    });
    afterAll(async () => {
      this.journal?.close();
      await this.sandboxes.removeAll(this.owner.firstRunId);
    });
  }

  async reopen(): Promise<void> {
    this.journal = await this.another();
  }

  /** The line of a record or a code with the tag that only servers and keepers can make. */
  readonly sealed = (job: string, line: string, of: 'record' | 'code') => {
    const [point, ...pads] = keysOf(this.secret, this.name, job)
      .slice(0, 3)
      .map((key) => BigInt(key));
    const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_';
    const pieces =
      line
        .replaceAll(' ', '_')
        .replaceAll('-', '@')
        .match(/.{1,5}/g) ?? [];
    const numbers = pieces.map((piece) => [...piece].reduce((sum, each) => sum * 64 + digits.indexOf(each), 0));
    const hash = numbers.reduce((sum, each) => (sum * point! + BigInt(each)) % 2147483647n, BigInt(line.length));
    return `${line} ${(hash * point! + pads[of === 'record' ? 0 : 1]!) % 2147483647n}`;
  };

  /** One more stream to the same journal, as another worker has it. */
  readonly another = () => JournalStream.open(this.container, this.secret);
  readonly others = (count: number) => Promise.all(Array.from({ length: count }, this.another));

  readonly request = (command: string, more: Partial<RunRequest> = {}): RunRequest => ({
    id: `job-${++this.jobs}`,
    after: '*',
    command,
    timeoutMs: 20_000,
    ...more,
  });
  readonly run = (command: string, more: Partial<RunRequest> = {}) => this.journal.run(this.request(command, more));
  readonly text = async (command: string, more: Partial<RunRequest> = {}) =>
    (await this.run(command, more)).output.toString('utf8');

  /** The next call of the program takes so many seconds before it begins; those after it do not: a moment that is over at once can be hit. */
  readonly slowOnce = (program: string, seconds: number) =>
    this.run(
      `rm -rf /tmp/slow; cat > /usr/local/bin/${program} << 'END'\n#!/bin/sh\n` +
        `mkdir /tmp/slow 2> /dev/null && sleep ${seconds}\nexec /usr/bin/${program} "$@"\nEND\nchmod +x /usr/local/bin/${program}`,
    );
  readonly fastAgain = (program: string) => this.run(`rm /usr/local/bin/${program}`);
  /** Until the slow call has begun. */
  readonly begun = async () => {
    while ((await this.journal.look('/tmp/slow')).kind === 'missing') await sleep(20);
  };
}
