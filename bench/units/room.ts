import { createHash, randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { type GuestFacts, PointsmanError } from '../../src/contract';
import { SandboxProfile } from '../../src/contract/sandbox';
import { BASE_IMAGE } from '../../src/machine/image';
import { openSandboxes } from '../../src/sandbox';
import type { Sandbox } from '../../src/sandbox/sandbox';
import { strict } from '../../src/setup/loop/commands';
import type { Proof } from './proof';

const WORKDIR = '/work';
const VENV = '/venv';
const ROLE = 'proof';
const REPO = 'pointsman/units';
const PROFILE = SandboxProfile.parse({ network: 'bridge', memoryMiB: 4096, pids: 1024 });
const COMMAND_MS = 300_000;

export interface Ran {
  readonly exitCode: number;
  readonly output: string;
}

/** One command after another in one container, with the shell that agents have: directory and variables stay. */
export type Shell = (command: string) => Promise<Ran>;

/**
 * Containers for proofs, one at a time. What proofs prepare becomes image layers by the commands' digest, so that ten
 * proofs that need a compiler install it once.
 */
export class ProofRoom {
  private readonly sandboxes = openSandboxes('prove-units');
  private jobs = 0;
  // Layers carry the journal of the commands that made them.
  private readonly session = randomUUID().slice(0, 8);

  /** `run` names what the room owns in the engine. */
  constructor(private readonly run: string) {}

  async open<T>(proof: Proof, use: (shell: Shell, guest: GuestFacts) => Promise<T>): Promise<T> {
    const image = await this.layer(proof.image ?? BASE_IMAGE, proof.prepare);
    return this.inside(image, async (sandbox, shell) => {
      const files = Object.entries(proof.files).map(([path, text]) => ({
        path: posix.resolve(WORKDIR, path),
        bytes: Buffer.from(text),
        executable: text.startsWith('#!'),
      }));
      await sandbox.write(files);
      for (const command of proof.given) await mustPass(shell, command);
      return use(shell, await factsOf(shell));
    });
  }

  /** Removes every container and layer of this run. */
  async close(): Promise<void> {
    await this.sandboxes.removeAll(this.run);
    this.sandboxes.close();
  }

  /** The image after `commands`; each command is a layer on the one before it. */
  private async layer(base: string, commands: readonly string[]): Promise<string> {
    const last = commands.at(-1);
    if (last === undefined) return base;
    const below = await this.layer(base, commands.slice(0, -1));
    const tag = createHash('sha256')
      .update([this.run, base, ...commands].join('\n'))
      .digest('hex')
      .slice(0, 24);
    const image = `${REPO}:${tag}`;
    if (await this.sandboxes.images.find(image)) return image;
    return this.inside(below, async (sandbox, shell) => {
      await mustPass(shell, last);
      await sandbox.commit(image);
      return image;
    });
  }

  private async inside<T>(image: string, use: (sandbox: Sandbox, shell: Shell) => Promise<T>): Promise<T> {
    const owner = { workflowId: 'prove-units', firstRunId: this.run };
    await this.sandboxes.remove(owner, ROLE);
    try {
      const sandbox = await this.sandboxes.claim({ owner, role: ROLE, image, workdir: WORKDIR, profile: PROFILE });
      const shell: Shell = (command) => this.command(sandbox, command);
      await shell(`[ ! -x ${VENV}/bin/python ] || export VIRTUAL_ENV=${VENV} PATH="${VENV}/bin:$PATH"`);
      return await use(sandbox, shell);
    } finally {
      await this.sandboxes.remove(owner, ROLE);
    }
  }

  private async command(sandbox: Sandbox, command: string): Promise<Ran> {
    const request = {
      id: `${this.session}-${this.jobs++}`,
      after: '*',
      command: strict(command),
      timeoutMs: COMMAND_MS,
    };
    const { output, exitCode } = await sandbox.journal((journal) => journal.run(request));
    return { output: output.toString('utf8'), exitCode };
  }
}

async function mustPass(shell: Shell, command: string): Promise<void> {
  const { exitCode, output } = await shell(command);
  if (exitCode === 0) return;
  throw new PointsmanError('InvalidInput', `cannot prepare: ${command}\n${output.slice(-1500)}`, 'Correct the proof.');
}

/** As the set-up loop would find them out: what is there decides how atoms are rendered. */
async function factsOf(shell: Shell): Promise<GuestFacts> {
  const { output } = await shell('for name in python3 apt-get npm conda; do command -v "$name" || echo -; done');
  const [python, apt, npm, conda] = output.split('\n').map((line) => (line === '-' || line === '' ? null : line));
  return {
    python: python ?? null,
    venv: python?.startsWith(VENV) ? VENV : null,
    packageManager: apt ? 'apt' : null,
    node: npm ? 'npm' : null,
    conda: Boolean(conda),
    workdir: WORKDIR,
  };
}
