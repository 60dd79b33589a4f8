import { readFileSync } from 'node:fs';
import type Docker from 'dockerode';
import { PointsmanError } from '../../contract/errors';
import type { Frame } from '../../contract/sandbox';
import { guestProgram } from '../guest';
import { BUNDLE_MOUNTED, hostAccess } from '../host-access';
import type {
  CommitOptions,
  ConfinedSandbox,
  FrameRequest,
  GuestCommand,
  GuestFile,
  GuestResult,
  Journal,
  LineCommand,
  LinesRead,
  ReadLimit,
  Workshop,
} from '../sandbox';
import { removeContainer } from './container';
import { statusOf } from './engine';
import { checkpoint } from './frames';
import { assertAlive, getFiles, putFiles, readGuestLines, runInGuest } from './guest';
import { assertRoom } from './held';
import { changesOf, commitOfRun, splitName } from './images';
import type { JournalStreams } from './journal';

/** A container as a sandbox. It holds nothing itself: the same name is the same sandbox. */
export class DockerSandbox implements Workshop, ConfinedSandbox {
  env: Readonly<Record<string, string>> = {};
  private readonly container: Docker.Container;

  constructor(
    private readonly docker: Docker,
    private readonly streams: JournalStreams,
    readonly name: string,
  ) {
    this.container = docker.getContainer(name);
  }

  journal<T>(use: (journal: Journal) => Promise<T>): Promise<T> {
    return this.withRoom(() => this.streams.use(this.name, use));
  }

  /** What may have met a full disk is not answered, and nobody finds it later: the sandbox is gone. */
  private async withRoom<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      await assertRoom(this.docker).catch(async (error: unknown) => {
        await this.remove();
        throw error;
      });
    }
  }

  async kill(job: string): Promise<void> {
    await this.streams.cancel(this.name, job).catch((error: unknown) => {
      if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
    });
  }

  exec(command: GuestCommand): Promise<GuestResult> {
    return this.withRoom(() => runInGuest(this.container, command));
  }

  execLines(command: LineCommand, take: (line: string) => 'enough' | undefined): Promise<LinesRead> {
    return this.withRoom(() => readGuestLines(this.container, command, take));
  }

  assertAlive(exitCode: number | null, what: string): Promise<void> {
    return assertAlive(this.container, exitCode, what);
  }

  write(files: readonly GuestFile[]): Promise<void> {
    return putFiles(this.container, files);
  }

  read(path: string, most?: ReadLimit): Promise<Map<string, Buffer>> {
    return getFiles(this.container, path, most);
  }

  async writtenBytes(): Promise<number> {
    const { SizeRw } = (await this.container.inspect({ size: true } as object)) as { SizeRw?: number };
    return SizeRw ?? 0;
  }

  /** The bundle is copied in rather than mounted: a mount would leave an empty file in the image. */
  async lendAccess(): Promise<Readonly<Record<string, string>>> {
    const { env, bundle } = hostAccess();
    if (bundle) await this.write([{ path: bundle.inside, bytes: readFileSync(bundle.file) }]);
    return env;
  }

  snapshot(request: FrameRequest): Promise<Frame> {
    return this.journal((journal) => checkpoint(this.docker, this.container, journal, request));
  }

  async commit(image: string, options: CommitOptions = {}): Promise<void> {
    if (options.kept) {
      this.streams.forget(this.name);
      const { exitCode, stderr } = await this.exec({
        command: guestProgram('forget.sh'),
        args: [BUNDLE_MOUNTED],
        timeoutMs: 300_000,
      });
      if (exitCode !== 0)
        throw new PointsmanError('SandboxFailed', `our own files cannot be removed: ${stderr.toString('utf8').trim()}`);
    }
    const [name, changes] = [splitName(image), changesOf(options)];
    if (options.kept) await this.container.commit({ ...name, pause: true, changes });
    else await commitOfRun(this.docker, this.container, name, changes);
  }

  async remove(): Promise<void> {
    this.streams.forget(this.name);
    await removeContainer(this.docker, this.name);
  }

  async endAll(): Promise<void> {
    const done = await this.exec({ command: 'kill -9 -1', timeoutMs: 5000 }).catch(() => undefined);
    if (done?.exitCode === 0) return;
    // Where no process can be started any more, the container is.
    await this.container.restart({ t: 0 }).catch((error: unknown) => {
      if (statusOf(error) === 404) throw new PointsmanError('SandboxLost', 'the harness container went away');
      throw error;
    });
  }
}
