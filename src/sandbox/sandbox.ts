import type { Readable } from 'node:stream';
import type { Frame, Lease, SandboxProfile, ServiceSpec } from '../contract';
import type { Owner } from './labels';
import type { Places } from './places';

/** What takes commands and files of ours. */
export interface Guest {
  /** Runs one bash command line beside the journal and gives what it printed. Throws only for outages. */
  exec(command: GuestCommand): Promise<GuestResult>;
  /** An outage is never a finding: throws `SandboxLost` when it went away under a command that ended with `exitCode`. */
  assertAlive(exitCode: number | null, what: string): Promise<void>;

  /** Writes files owned by root; no process inside takes part, and memory file systems are not reached. Makes folders. */
  write(files: readonly GuestFile[]): Promise<void>;
  /**
   * Regular files at and below a path, by absolute path; empty when it does not exist. No process inside takes part. Throws
   * `TooLarge` as soon as there are more bytes or entries than `most`: another attempt finds the same, and no byte past the
   * limit is kept.
   */
  read(path: string, most?: ReadLimit): Promise<Map<string, Buffer>>;
}

/**
 * One sandbox: a machine of its own for commands that nobody trusts. What a user of sandboxes may rely on is all in this
 * file; `docker/` is one way to provide it, and `index.ts` the list of ways.
 *
 * Commands are run in two ways. Those of agents go through the journal, which lives inside of the sandbox: they share one
 * shell's directory and variables, each runs once however often it is asked for, and one that outlives its worker is taken
 * up again. Commands of our own are run with `exec`: what they print leaves the sandbox at once, so that nothing in it can
 * change it later.
 */
export interface Sandbox extends Guest {
  /** As leases carry it; `Sandboxes.at` finds the sandbox again by it. */
  readonly name: string;

  /**
   * Runs `use` on the journal. A stream that broke is opened once more and `use` runs again, which is safe because jobs are
   * named: what ran is not run again. Throws `SandboxLost` when the sandbox is gone, `Diverged` when it lived another history.
   */
  journal<T>(use: (journal: Journal) => Promise<T>): Promise<T>;
  /** Kills a job's process tree, whatever stream started it. One that is gone counts as killed. */
  kill(job: string): Promise<void>;

  /**
   * Runs a command and hands over its lines while it runs; `take` answers `enough` to stop reading. The command may still
   * run when this returns, unless it `exited`. A line without its newline is no line.
   */
  execLines(command: LineCommand, take: (line: string) => 'enough' | undefined): Promise<LinesRead>;
  /** Bytes that were written over the image. */
  writtenBytes(): Promise<number>;
  /** Copies the host's CA bundle in and gives the variables that commands need to reach registries. */
  lendAccess(): Promise<Readonly<Record<string, string>>>;

  /**
   * Takes a frame: files, directory, variables. Retry-safe: a frame of that index which was taken at the same place in the
   * journal is taken as it is.
   */
  snapshot(request: FrameRequest): Promise<Frame>;
  /** Makes an image of what the sandbox holds. It is the run's and goes with it, unless it is `kept`. */
  commit(image: string, options?: CommitOptions): Promise<void>;

  /** Removes it with all that runs in it. Removing what is gone is success. */
  remove(): Promise<void>;
}

/** Reading a directory costs what its entries cost, files or not. */
export interface ReadLimit {
  /** Of all files together; 64 MiB unless told. */
  readonly bytes?: number;
  /** Files, folders and links; 20,000 unless told. */
  readonly entries?: number;
}

/** A sandbox whose first process only reaps, so that every other one can be ended. */
export interface ConfinedSandbox extends Sandbox {
  /** Ends every process but the first. Throws `SandboxLost` when it is gone. */
  endAll(): Promise<void>;
}

/** A sandbox for as long as one activity works in it. */
export interface Workshop extends Sandbox {
  /** What commands need to reach registries; empty without a network. No image keeps it. */
  readonly env: Readonly<Record<string, string>>;
}

/** All sandboxes that one backend has on this host, for the runs of one server's namespace. Made once a process. */
export interface Sandboxes {
  /** The server and namespace that own the runs (`CLUSTER/NAMESPACE`). */
  readonly scope: string;
  readonly images: Images;
  readonly services: Services;

  /** Gives the run's running sandbox of that role, made or started where needed. Throws `NotFound` without the image. */
  claim(spec: SandboxSpec): Promise<Sandbox>;
  /** The sandbox of that name, whether or not it exists: asking costs nothing, using it tells. */
  at(name: string): Sandbox;
  /**
   * Puts the run's sandbox back to a frame, which is not consumed. Retry-safe: it starts from the frame each time. `removed`
   * says when what was there before is gone, and need not be waited for. Throws `FrameLost` without the frame's image.
   */
  restore(spec: Omit<SandboxSpec, 'image'>, frame: Frame): Promise<{ sandbox: Sandbox; removed: Promise<void> }>;
  /** Removes frames of a run's stack, the top first. Removing what is gone is success. */
  dropFrames(owner: Owner, indexes: readonly number[]): Promise<void>;

  /**
   * A sandbox for as long as `use` takes. It begins fresh, so an activity that is tried again repeats nothing on top of what
   * a killed attempt left; it carries the run's lease, so the janitor removes what a killed worker left.
   */
  workshop<T>(spec: WorkshopSpec, use: (workshop: Workshop) => Promise<T>): Promise<T>;
  /**
   * Runs one command in a fresh copy of a frame that nobody sees again. The work directory, homes, logs and (where a service
   * runs) /var/lib are copies that vanish with it, /tmp is empty memory, all else is read-only, and there is no way out: so
   * no command can mend what it examines, and the next one sees the frame as it was.
   *
   * Retry-safe: what an earlier attempt left under the same role is removed first. Throws `FrameLost` when the frame's image
   * is gone and `SandboxLost` when the copy died under the command: outages, never findings.
   */
  throwaway(spec: ThrowawaySpec, command: ThrowawayCommand): Promise<ThrowawayOutcome>;
  /**
   * A fresh sandbox without a network, with the profile's limits, files no larger than its disk, /tmp in memory. The caller
   * removes it. Throws `NotFound` without the image.
   */
  confined(spec: ConfinedSpec): Promise<ConfinedSandbox>;

  /** Removes one sandbox of a run. Removing what is gone is success. */
  remove(owner: Owner, role: string): Promise<void>;
  /**
   * Removes images that can be had again, as `canBeHad` says of their names, the least recently used first, while the disk has
   * less free than this host needs for new work. Gives the names that went.
   */
  makeRoom(canBeHad: (names: readonly string[]) => Promise<boolean>): Promise<string[]>;
  /**
   * Removes all that a run owns here: sandboxes, networks, images from the newest, volumes. `untold`: also images that nothing
   * but their labels tells of, as an earlier version left them; that reads every image of the engine.
   */
  removeAll(firstRunId: string, options?: { readonly untold?: boolean }): Promise<Removed>;
  /** Runs of this scope that own something here, none of it younger than that: first run id, and the workflow that owns it. */
  leftovers(olderThanSeconds: number): Promise<Map<string, string>>;
  /** How many may run at once, and who waits for what: see there. */
  readonly places: Places;
  /** First run ids of the scope's runs that have a sandbox for their agent running here, and the workflow that each is of. */
  running(): Promise<Map<string, string>>;

  /** Name and version of what answers. Throws where nothing does, within `withinMs`. */
  version(withinMs: number): Promise<string>;
  /** Runs a command as barely as a sandbox would be run and gives what it printed: what answers may yet start nothing. */
  tryOut(image: string, command: string): Promise<string>;
  /** For good: streams end, and none is opened any more. What runs in sandboxes runs on. */
  close(): void;
}

/** What the operator lets sandboxes have beyond their own and the internet. */
export interface Allowed {
  /** Hosts, `HOST:PORT`s and networks, private ones or of this host, that a sandbox with a network reaches. */
  readonly reach?: readonly string[];
  /** Images that a service beside a sandbox may be started from. */
  readonly images?: readonly string[];
  /** Repository prefix that images of ours are pushed below, so that other hosts have them. */
  readonly registry?: string | undefined;
  /** Places for sandboxes here; as many as one likes unless told. */
  readonly places?: number;
  /** Free GiB on the engine's disk below which no new work comes here. */
  readonly freeDiskGiB?: number;
}

export interface SandboxSpec {
  readonly owner: Owner;
  /** One run may have several: `main` for the agent, `grade` for the judge. */
  readonly role: string;
  readonly image: string;
  readonly workdir: string;
  readonly profile: SandboxProfile;
  /** Further places that its run keeps, for what will run beside it: it waits for them once, before it begins. */
  readonly beside?: number;
}

export interface WorkshopSpec extends Omit<SandboxSpec, 'profile'> {
  readonly network: 'none' | 'bridge';
  /** Limits and variables of the sandbox that it stands for; without it there is room for what we run ourselves. */
  readonly profile?: SandboxProfile;
}

/** Two that run at once need two roles; one that is left over is removed. */
export type ConfinedSpec = Omit<SandboxSpec, 'workdir'>;

export interface Removed {
  readonly containers: number;
  readonly networks: number;
  readonly images: number;
  readonly volumes: number;
}

export interface FrameRequest {
  readonly owner: Owner;
  readonly index: number;
  readonly label: string;
  readonly services?: readonly string[];
  /** One layer instead of the whole chain: takes seconds, and makes the frames below independent of this one. */
  readonly squash?: boolean;
}

export interface CommitOptions {
  /** Read again with `Images.label`. */
  readonly labels?: Readonly<Record<string, unknown>>;
  /** Dockerfile instructions that become part of the image. */
  readonly instructions?: readonly string[];
  /** No janitor removes it, and it knows nothing of the run: our own files and what the host lent are taken out first. */
  readonly kept?: boolean;
}

/** The journal inside of a sandbox, served in the order of asking (`guest/journal.sh` says how). */
export interface Journal {
  run(request: RunRequest): Promise<CommandResult>;
  /** Records an answer that we made up ourselves, with the file change that goes with it, as one job. */
  apply(request: ApplyRequest): Promise<CommandResult>;
  /** Reads a file exactly, or lists a directory two levels deep. Files over `limit` bytes are `large`. */
  look(path: string, limit?: number): Promise<FileLook>;
  /** Git tree id of the work directory as it is now, null where it is no work tree. */
  digest(workdir: string): Promise<string | null>;
  /**
   * Binary-safe patch from commit or tree `base` to the work directory as it is now. Throws `TooLarge` for one of more than
   * 64 MiB.
   */
  diff(base: string, workdir: string): Promise<{ tree: string | null; patch: Buffer }>;
  /** The last job that ran here, `-` when none did. */
  position(): Promise<string>;
  /** Directory and `declare -px` lines (`parseExports` reads them) that the next command begins with. */
  state(): Promise<{ cwd: string; env: string }>;
}

export interface RunRequest {
  /** Names the job: the same id never runs twice in this sandbox. No spaces. */
  readonly id: string;
  /** The job that must have come last, or `*`. Anything else means that this sandbox lived another history. */
  readonly after: string;
  /** Git work directory whose state before the job is recorded with it. */
  readonly workdir?: string;
  readonly command: string;
  readonly timeoutMs: number;
  readonly headBytes?: number;
  readonly tailBytes?: number;
}

export interface ApplyRequest {
  readonly id: string;
  readonly after: string;
  readonly workdir?: string;
  readonly kind: 'write' | 'delete' | 'none';
  readonly path: string;
  readonly bytes?: Uint8Array;
  /** Kept with the job and given back when it is asked for again. */
  readonly text: string;
}

export interface CommandResult {
  readonly output: Buffer;
  /** 137 when the command was killed; its own code otherwise. */
  readonly exitCode: number;
  readonly reason: 'exit' | 'timeout' | 'killed' | 'cancelled';
  readonly durationMs: number;
  readonly elidedBytes: number;
  /** Tree id of the request's `workdir` as the job met it; null without one. */
  readonly tree: string | null;
}

export type FileLook =
  | { readonly kind: 'missing'; readonly parentExists: boolean }
  | { readonly kind: 'large'; readonly parentExists: boolean }
  | { readonly kind: 'directory'; readonly parentExists: boolean; readonly listing: string }
  | { readonly kind: 'file'; readonly parentExists: boolean; readonly bytes: Buffer };

/** The journal says that another job came last: rebuild the sandbox from the transcript. */
export class Diverged extends Error {
  override readonly name = 'Diverged';
}

export interface GuestCommand {
  /** One bash command line; `$1`, `$2`, ... are `args`. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Written to standard input, which then stays open: read up to a length or a line, not to the end. */
  readonly input?: Buffer | string;
  readonly timeoutMs?: number;
  /** Bytes kept of each stream: the first half and the last half of it. */
  readonly keepBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface GuestResult {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Null when the command was still running at its deadline. */
  readonly exitCode: number | null;
}

export interface LineCommand {
  /** One bash command line; `$1`, `$2`, ... are `args`. What it writes to standard output is read as lines. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Time without output after which the command is given up as well. */
  readonly silenceMs: number;
  /** Bytes of standard output that are read; one more, and the command is given up. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface LinesRead {
  /** By itself, at its deadline, for the number of its bytes, or because the reader had seen enough. */
  readonly ending: 'exited' | 'deadline' | 'flooded' | 'enough';
  /** Null unless `exited`. */
  readonly exitCode: number | null;
  /** Last part of standard error. */
  readonly stderr: string;
}

export interface GuestFile {
  /** Absolute path in the sandbox. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly executable?: boolean;
  /** Target, for a symbolic link; then `bytes` are not used. */
  readonly link?: string;
}

export interface ThrowawaySpec {
  readonly owner: Owner;
  /** Names the copy within the run. Two that run at once need two names; one that is left over is removed. */
  readonly role: string;
  /** Image of the frame that is looked at. */
  readonly image: string;
  readonly workdir: string;
  /** Directories of the family's other repositories. */
  readonly components?: readonly string[];
  /** Directory and variables of the frame. What the host had lent for reaching registries is taken out. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly profile: SandboxProfile;
  /** A network of the run without a way out, where siblings serve; without one there is no network at all. */
  readonly network?: string | undefined;
  /** Those of kind `process` are started first; siblings are the caller's. */
  readonly services?: readonly ServiceSpec[];
}

export interface ThrowawayCommand {
  readonly command: string;
  /** Written under /tmp before the command runs. */
  readonly files?: readonly { readonly path: string; readonly content: string }[];
  readonly timeoutMs: number;
  /** Bytes of output that are kept: the first half and the last half of it. */
  readonly keepBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ThrowawayOutcome {
  /** Null when the command was stopped at its deadline; 125 when it was not run, because a service did not start. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** Both streams, in the order in which they came. */
  readonly output: Buffer;
  /** Name of the declared service that did not come up; then `output` says why. */
  readonly failedService: string | null;
  /** Wall time of the command alone. */
  readonly seconds: number;
}

/**
 * Services of a run: processes in its sandbox, and siblings, which are sandboxes of their own on the run's network. That
 * network leads nowhere else. The data of siblings are a part of every frame, and all goes with the run.
 */
export interface Services {
  /** Starts what is not up, siblings first. Idempotent. Names the first service that did not come up. */
  start(
    request: ServicesRequest & { readonly lease: Pick<Lease, 'container' | 'workdir'> },
    signal: AbortSignal,
  ): Promise<Started>;
  /** The same for siblings alone. */
  startSiblings(request: ServicesRequest, signal: AbortSignal): Promise<Started>;
  /** Command lines of processes that commands left behind and that are no service: a rollback would end them silently. */
  undeclared(lease: Lease): Promise<string[]>;
  /** A sibling, for commands and files of ours. */
  at(owner: Owner, name: string): Guest;
  /** Brings a sandbox onto the run's network. */
  connect(owner: Owner, sandbox: string): Promise<void>;
  /** Removes one sibling. Removing what is gone is success. */
  remove(owner: Owner, name: string): Promise<void>;
  /** Removes the run's network, whatever still hangs on it. Removing what is gone is success. */
  removeNetwork(owner: Owner): Promise<void>;
  /** Keeps what each sibling holds now, as a part of that frame. Repeating it is safe as long as nothing runs between. */
  keep(owner: Owner, services: readonly ServiceSpec[], frame: number): Promise<void>;
  /**
   * Puts the siblings back to what they held at a frame; those that were started after it go, and so do the frames above.
   * Repeating it is safe: each begins anew from its frame. Throws `FrameLost`.
   */
  back(owner: Owner, services: readonly ServiceSpec[], frame: number, above: readonly number[]): Promise<void>;
  /**
   * Siblings with what they held at a frame, whatever was written since; those that it does not know begin anew. Gives the
   * network where they are met, or undefined where there are none. One that does not come up is for those who ask it to miss.
   */
  asAt(
    request: ServicesRequest,
    frame: Pick<Frame, 'index' | 'services'>,
    signal: AbortSignal,
  ): Promise<string | undefined>;
}

export interface ServicesRequest {
  readonly owner: Owner;
  /** Complete: with start, health or port, and packages or image. */
  readonly services: readonly ServiceSpec[];
  /** Image that a sibling without one of its own is made of. */
  readonly base: string;
  /** Images that whoever asks vouches for, beside those that the operator names. */
  readonly images?: readonly string[];
  /** Shell text that installs a service's packages. */
  install(spec: ServiceSpec): string | undefined;
}

export interface Started {
  readonly started: string[];
  readonly failed: { readonly name: string; readonly why: string } | null;
}

/** How other hosts come by the images that are made here: there are no others, through a registry, or through the blob store. */
export type ImageRoad = 'none' | 'registry' | 'blobs';

/** The images that sandboxes begin from. */
export interface Images {
  /** Undefined where this host does not have it. */
  find(image: string): Promise<ImageFacts | undefined>;
  /** A label that `Sandbox.commit` gave; null where the image has none, undefined where this host does not have the image. */
  label(image: string, name: string): Promise<unknown>;
  /**
   * From its registry, as this user is logged in there. Throws `NotFound` for one that is not there, `InvalidInput` where the
   * registry does not let us in, and `Unavailable` for what may pass: a registry that is away or busy, a full disk.
   */
  pull(image: string, options?: { readonly signal?: AbortSignal; readonly report?: Report }): Promise<void>;
  /**
   * Makes sure that an image is on this host: as it is, else pulled, ours from the configured registry. False where that has
   * none of ours by that name. Throws as `pull` does.
   */
  fetch(image: string): Promise<boolean>;
  /**
   * Pushes an image of ours to the configured registry, and gives the name with its digest under which any host pulls just
   * that. Without a registry, its own name. Retry-safe: what the registry has is not sent again.
   */
  share(image: string): Promise<string>;
  /** Pushes an image of ours where the configured registry has none by that name: hosts that join take that one. */
  offer(image: string): Promise<void>;
  /**
   * The name of an image that is here, with the digest under which its registry gave it: what it is today, whatever the name
   * comes to mean. Without one where no registry did.
   */
  pinned(image: string): Promise<string>;
  /** An image as an archive without names, and the id that whoever loads it has it under. */
  save(image: string): Promise<{ readonly id: string; readonly archive: NodeJS.ReadableStream }>;
  /** Loads what `save` gave, under a name. Retry-safe: layers that are here are taken as they are. */
  loadSaved(archive: NodeJS.ReadableStream, id: string, image: string): Promise<void>;
  /** Gives an image another name. */
  tag(image: string, as: string): Promise<void>;
  /** Takes a name away. Removing what is gone is success. */
  remove(image: string): Promise<void>;
  /**
   * Builds the Dockerfile of a folder from nothing that an earlier build left. Proxies and certificates of this host are
   * lent to the build and do not stay. Throws what the build ended with.
   */
  build(folder: string, image: string, report: Report): Promise<void>;
  /** Builds a Dockerfile that needs no files, on layers that are there. Lends this host's variables. */
  buildText(dockerfile: string, image: string, report: Report): Promise<void>;
  /** Makes an image of a root file system, as a tar stream. Throws what was wrong with it. */
  load(rootfs: Readable, image: string, instructions: readonly string[]): Promise<void>;
}

export interface ImageFacts {
  /** Digest. */
  readonly id: string;
  readonly bytes: number;
  readonly env: Readonly<Record<string, string>>;
}

export type Report = (line: string) => void;
