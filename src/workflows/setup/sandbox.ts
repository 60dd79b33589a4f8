import type { Raced, RaceInput } from '../../activities/setup/race';
import type { RanSetup } from '../../activities/setup/sandbox';
import type { Compensation, Frame, FrameRecord, Lease, Queues, Ref, RepoSetupInput, ServiceSpec } from '../../contract';
import type { Owner } from '../../sandbox/labels';
import type { Attribution } from '../../setup/loop/attribution';
import { Gate } from '../../setup/loop/gate';
import { Compensations } from '../durable/compensations';
import { hostLost, LeavingHosts } from '../durable/leaving';
import { SnapshotStack } from '../durable/snapshot-stack';
import type { Steering } from '../durable/steering';
import { setupHost, setupPool } from './activities';
import { type RunRequest, SetupCommands } from './commands';
import { type DoneAction, DoneActions } from './done-actions';
import { SandboxLosses } from './losses';
import { DeclaredServices } from './services';

interface WentBack {
  readonly frame: Frame;
  /** Turns that are no longer there. */
  readonly undone: readonly number[];
  readonly notes: readonly string[];
}

/** MiB beyond which the sandbox goes on from its own frame: each further frame would store the same bytes again. */
const FRESH_ABOVE_MIB = 300;

/**
 * The sandbox of one set-up with its LIFO stack of frames. Everything that ran since the newest frame is remembered, so a
 * lost container goes on where it was: from that frame, or on another host from the beginning.
 */
export class SetupSandbox {
  readonly gate = new Gate();
  private readonly records = new FrameRecords();
  rollbacks = 0;
  private lease!: Lease;
  private given!: Ref;
  /** Digest of the sources. */
  private sha256 = '';
  private readonly done = new DoneActions();
  private readonly commands: SetupCommands;
  private readonly frames: Frame[] = [];
  private readonly undo: Compensations;
  private readonly stack: SnapshotStack;
  private readonly losses: SandboxLosses;
  private readonly declared: DeclaredServices;
  /** Nothing happened since the top frame. */
  private clean = false;
  /** Where a rollback that is under way leads. */
  private target: Frame | null = null;
  private remarks: string[] = [];
  private environment: Compensation | undefined;

  constructor(
    private readonly owner: Owner,
    private readonly queues: Queues,
    private readonly input: RepoSetupInput,
    steering: Steering,
  ) {
    const hosts = new LeavingHosts();
    this.losses = new SandboxLosses(
      steering,
      (anew) => this.again(anew),
      () => {
        if (!this.lease || !hosts.hasLeft(this.lease)) return;
        const left = hostLost(this.lease);
        hosts.forget(this.lease);
        throw left;
      },
    );
    const summary = 'sandbox, frames and services are removed';
    this.undo = new Compensations([], (records) =>
      this.anywhere().undo.executeWithOptions({ summary }, [{ owner, records }]),
    );
    this.undo.register({ kind: 'leftovers' });
    const profile = { ...input.sandbox, hostCertificates: false };
    const lease = () => this.lease;
    this.commands = new SetupCommands(
      { owner, lease, top: () => this.frames.at(-1), losses: this.losses },
      input.limits.commandSeconds,
      this.done,
    );
    this.declared = new DeclaredServices({ owner, base: input.base, undo: this.undo, lease, host: () => this.host() });
    this.stack = new SnapshotStack(
      { owner, profile, undo: this.undo, lease, services: () => this.declared.names },
      this.frames,
    );
  }

  get at(): Lease {
    return this.lease;
  }

  /** Those that are declared and up. */
  get services(): ServiceSpec[] {
    return this.declared.specs;
  }

  get hasSiblings(): boolean {
    return this.declared.hasSiblings;
  }

  /** Labels of the frames on the stack, from the bottom. */
  get labels(): string[] {
    return this.frames.map(({ label }) => label);
  }

  /** Every frame that was taken, those that were rolled back too. */
  get taken(): readonly FrameRecord[] {
    return this.records.all;
  }

  get top(): Frame {
    return this.stack.top!;
  }

  /** What happened to the sandbox beside what it was asked for, since this was read last: the agent is told with its step. */
  takeRemarks(): string[] {
    return this.remarks.splice(0);
  }

  /** Fetches the sources and takes the frame `base`. Throws `SandboxGone`. */
  async prepare(): Promise<{ given: Ref; sha256: string; licence: string | null; notes: readonly string[] }> {
    this.undo.register({ kind: 'container', role: 'main' });
    const prepared = await this.losses.patiently('fetch the sources', () =>
      setupPool(this.queues).prepareSetup.executeWithOptions(
        { summary: `sources: ${this.input.source}`.slice(0, 120) },
        [{ owner: this.owner, input: this.input }],
      ),
    );
    this.lease = prepared.lease;
    this.given = prepared.given;
    this.sha256 = prepared.sha256;
    this.commands.beginAt(prepared.lease.origin);
    await this.checkpoint('base', 0, []);
    return prepared;
  }

  /** Runs a command, whatever is lost meanwhile. */
  async run(request: RunRequest): Promise<RanSetup & { attribution: Attribution | null }> {
    const ran = await this.commands.run(request);
    if (!request.reads) this.touched();
    return ran;
  }

  /** Pushes a frame, unless nothing happened since the last one. */
  async checkpoint(label: string, turn: number, rules: readonly string[]): Promise<Frame> {
    if (this.clean) return this.top;
    const frame = await this.surviving(async () => {
      // Siblings first: a frame that is there can be gone back to.
      await this.declared.keep(this.stack.nextIndex);
      return this.stack.checkpoint(label);
    });
    this.clean = true;
    this.records.push(frame, turn, rules);
    // Going on from its own frame ends what runs in the background: that is not worth any disk.
    if ((frame.mib ?? 0) > FRESH_ABOVE_MIB && (await this.undeclared()).length === 0) await this.restore(frame);
    return frame;
  }

  /** Back over so many frames; 1 is the newest one that differs from now. Services are up again afterwards. */
  async rollback(frames: number, turn: number): Promise<WentBack> {
    const steps = Math.min(this.clean ? frames : frames - 1, this.frames.length - 1);
    const frame = this.frames.at(-1 - steps)!;
    // Forgotten before it is undone: a sandbox that has to be made elsewhere meanwhile is made as it is to be.
    const undone = this.done.takeBack(frame);
    this.target = frame;
    const lost = await this.undeclared();
    const declared = this.declared.names;
    await this.restore(frame);
    this.target = null;
    if (this.frames.includes(frame)) this.records.drop(steps, turn);
    this.rollbacks += 1;
    this.touched();
    this.clean = true;
    const gone = declared.filter((name) => !frame.services.includes(name));
    return {
      frame,
      undone,
      notes: [
        ...lost.map((line) => `ended with the rollback: ${line}`),
        ...gone.map((name) => `the service ${name} was started after that frame and is no longer declared`),
      ],
    };
  }

  /** Starts a declared service and keeps it among those that every rollback starts again. */
  async serve(spec: ServiceSpec, turn: number): Promise<{ failed: { name: string; why: string } | null }> {
    const { failed } = await this.surviving(() => this.declared.start([spec]));
    if (!failed) {
      this.declared.add(spec);
      this.done.add({ turn, service: spec }, this.top);
    }
    this.touched();
    return { failed };
  }

  /** Tries several units side by side, each forked from the top frame; what the one that is adopted left becomes the sandbox. */
  async race(rivals: RaceInput['rivals'], failure: RaceInput['failure'], turn: number): Promise<Raced> {
    const { sandbox: profile, base, limits, experience } = this.input;
    // The winner's frame is taken by the race itself.
    this.undo.register({ kind: 'frame', index: this.stack.nextIndex });
    const raced = await this.surviving(() =>
      this.host().raceTrials.executeWithOptions(
        { summary: `turn ${turn} · ${rivals.map(({ unit }) => unit).join(' | ')}`.slice(0, 120) },
        [
          {
            owner: this.owner,
            lease: this.lease,
            profile,
            services: this.services,
            base,
            turn,
            rivals,
            // Asked for at each try: a host that is lost takes its frames along.
            frame: this.top,
            failure,
            neutral: experience.neutral,
            seconds: limits.commandSeconds,
          },
        ],
      ),
    );
    if (raced.winner === null || !raced.frame) return raced;
    const { command } = rivals[raced.winner]!;
    const adopted = raced.frame;
    const { exitCode, again } = raced.lanes[raced.winner]!;
    this.commands.remember({ turn, part: 'trial', command }, exitCode);
    // Its check may be what installed: it is in the frame, too.
    if (failure && again) this.commands.remember({ turn, part: 'check', command: failure.command }, again.exitCode);
    this.stack.adopt(adopted);
    this.records.push(adopted, turn, ['experience']);
    this.remarks.push(...(await this.undeclared()).map((line) => `ended when the trial was adopted: ${line}`));
    await this.restore(adopted);
    this.touched();
    this.clean = true;
    return raced;
  }

  /** Siblings hold what the top frame holds of them, after something that is no step was done with them. */
  async siblingsBack(): Promise<void> {
    if (!this.hasSiblings) return;
    await this.surviving(async () => {
      this.remarks.push(...(await this.declared.asAt(this.top)));
    });
  }

  /** An environment is made of the top frame: it goes with everything else, unless the set-up ends well. */
  willKeep(): void {
    const { sha256, lease } = this;
    this.environment = { kind: 'environment', imageId: this.top.imageId, sha256, workdir: lease.workdir };
    this.undo.register(this.environment);
  }

  /** The environment is what the set-up was for. */
  keepEnvironment(): void {
    if (this.environment) this.undo.forget(this.environment);
  }

  async release(): Promise<void> {
    await this.undo.run();
  }

  host() {
    return setupHost(this.lease.host, this.input.limits.commandSeconds);
  }

  private touched(): void {
    this.clean = false;
    this.gate.changed();
  }

  /**
   * Back to a frame of the stack. What is half done when something is lost can be done again: it goes no further. Where the
   * frame went with its host, the sandbox was made again as it was then.
   */
  private async restore(frame: Frame): Promise<void> {
    const above: number[] = [];
    await this.surviving(async () => {
      const at = this.frames.indexOf(frame);
      if (at < 0) return;
      above.push(...this.frames.slice(at + 1).map(({ index }) => index));
      await this.stack.rollback(this.frames.length - 1 - at);
      this.commands.beginAt(frame.position);
      this.remarks.push(...(await this.declared.asAt(frame, above)));
      this.declared.forgetAllBut(frame);
    });
  }

  /** Processes that nobody declared as a service: no frame holds them. */
  private undeclared(): Promise<string[]> {
    return this.surviving(() => this.host().undeclaredProcesses({ lease: this.lease }));
  }

  /** Does `work`, whatever is lost meanwhile. */
  surviving<T>(work: () => Promise<T>): Promise<T> {
    return this.losses.surviving(work);
  }

  /** From the newest frame with what came after it; anew, from the sources, when the frames are gone. */
  private async again(anew: boolean): Promise<void> {
    if (anew || this.frames.length === 0) await this.fromTheSources();
    if (anew) await this.replaceFrames();
    else if (this.frames.length > 0) {
      const frame = await this.stack.rollback(0);
      this.commands.beginAt(frame.position);
      this.remarks.push(...(await this.declared.asAt(frame)));
    }
    await this.redo(this.done.since(this.stack.top));
  }

  /** On any host, with what was done before the top frame. */
  private async fromTheSources(): Promise<void> {
    const { lease } = await setupPool(this.queues).prepareSetup.executeWithOptions(
      { summary: 'sandbox again, from the sources' },
      [{ owner: this.owner, input: this.input, given: this.given }],
    );
    this.lease = lease;
    this.commands.beginAt(lease.origin);
    if (this.target) this.declared.forgetAllBut(this.target);
    await this.redo(this.done.before(this.stack.top));
  }

  /**
   * The frames are gone: one of what the newest held stands for all. What was done after that one is not in it,
   * because a trial or a turn that is under way may yet be taken back.
   */
  private async replaceFrames(): Promise<void> {
    const held = this.stack.top;
    const services = this.declared.heldBy(held);
    await this.declared.keep(this.stack.nextIndex, services);
    const names = services.map(({ name }) => name);
    const frame = await this.stack.checkpoint('made again', names);
    this.frames.splice(0, this.frames.length, frame);
    this.records.collapse();
    this.done.settle(held, frame);
    // Registries may have given other things this time: what was verified is not this.
    this.gate.changed();
    this.remarks.push('its frames were lost: the sandbox was made again from what was recorded');
  }

  /** In its order: a command finds the services up that were up when it ran. */
  private async redo(actions: readonly DoneAction[]): Promise<void> {
    for (const action of actions) {
      const again = 'service' in action ? this.declared.startAgain([action.service]) : this.commands.again(action);
      this.remarks.push(...(await again));
    }
  }

  /** Where the run's things are: its host, or any host when it never had one. */
  private anywhere() {
    return this.lease ? setupHost(this.lease.host, 600) : setupPool(this.queues);
  }
}

/**
 * What is told of every frame that a set-up took, those that it rolled back too. They are numbered as they came: numbers of
 * frames are used again after a rollback.
 */
class FrameRecords {
  readonly all: FrameRecord[] = [];
  /** Records of the frames on the stack, from the bottom. */
  private readonly standing: number[] = [];

  /** On top of what stands. */
  push({ label, mib = 0, seconds = 0 }: Frame, turn: number, rules: readonly string[]): void {
    const index = this.all.length;
    const parent = this.standing.at(-1) ?? null;
    this.all.push({ index, parent, label, turn, mib, seconds, rules: [...rules], droppedAt: null });
    this.standing.push(index);
  }

  /** The newest so many no longer stand. */
  drop(frames: number, turn: number): void {
    for (const dropped of this.standing.splice(this.standing.length - frames)) this.all[dropped]!.droppedAt = turn;
  }

  /** One frame stands for all that went with their host. */
  collapse(): void {
    this.standing.length = 1;
  }
}
