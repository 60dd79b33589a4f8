import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { PointsmanError, type SandboxProfile } from '../contract';

/** A container that runs, or is about to. */
export interface Held {
  readonly name: string;
  /** First run id of the workflow that owns it. */
  readonly run: string;
  /** Id of that workflow, where the engine says it. */
  readonly workflow?: string | undefined;
  /** `lease`: runs until its workflow lets it go. `errand`: ends by itself. */
  readonly kind: 'lease' | 'errand';
  /** Places that it takes. */
  readonly takes: number;
  /** Places that its run may take without waiting, this container's own among them. */
  readonly keeps?: number;
}

/** A poll for new work that may be answered, and then the activity that answers it. */
export interface Permit {
  /** Its activity has begun, or has a container, which is counted from then on. */
  state: 'polling' | 'begun' | 'counted';
}

/** What one place is for: a container with the limits that set-ups have. One with more takes several. */
const PLACE = { memoryMiB: 4096, cpus: 2 };
const LOOK_MS = 250;
/** So long all places are taken before anybody asks whether they are used: longer than a killed worker's work lies there. */
const FULL_MS = 15_000;

/** Places that a sandbox of that profile takes. */
export function placesOf({ memoryMiB, cpus }: Pick<SandboxProfile, 'memoryMiB' | 'cpus'>): number {
  return Math.max(1, Math.ceil(memoryMiB / PLACE.memoryMiB), Math.ceil(cpus / PLACE.cpus));
}

/** Places in use: each run takes what runs of it, or what it keeps where that is more. */
export function placesTaken(held: readonly Held[]): number {
  const runs = new Map<string, { takes: number; keeps: number }>();
  for (const { run, takes, keeps = 0 } of held) {
    const before = runs.get(run) ?? { takes: 0, keeps: 0 };
    runs.set(run, { takes: before.takes + takes, keeps: Math.max(before.keeps, keeps) });
  }
  return [...runs.values()].reduce((sum, { takes, keeps }) => sum + Math.max(takes, keeps), 0);
}

/**
 * The places for sandboxes that an engine has. New work is asked for while one is free, so a full host leaves work in the queue
 * for others; whatever makes a container waits here until it fits. What counts is what runs on the engine, whoever made it.
 */
export class Places {
  /** About to run, or not listed yet. */
  private readonly reserved = new Map<string, Held>();
  private readonly permits = new Set<Permit>();
  private readonly activity = new AsyncLocalStorage<{
    readonly permit?: Permit | undefined;
    readonly signal: AbortSignal;
  }>();
  private turn: Promise<unknown> = Promise.resolve();
  /** In the order in which they came. Errands go before new leases: whoever waits for them holds one. */
  private readonly waiting = new Set<Held>();
  /** What was looked at last, until something was made since. */
  private seen: { readonly at: number; readonly held: Promise<readonly Held[]> } | undefined;
  private closed = false;
  /** Containers that do not count: see `discount`. */
  private idle = new Set<string>();
  /** Those that were made while it was asked which are idle. */
  private meanwhile: Set<string> | undefined;
  private roomAt = performance.now();

  constructor(
    private readonly most: number,
    private readonly look: () => Promise<readonly Held[]>,
    /** Why no new work should come here, in words; undefined when it may. */
    readonly obstacle: () => Promise<string | undefined>,
  ) {}

  /** Waits until new work may come here, and counts it from then on. Rejects with the signal's reason. */
  async admit(signal: AbortSignal): Promise<Permit> {
    for (;;) {
      signal.throwIfAborted();
      const permit = await this.exclusively(() => this.tryAdmit()).catch(() => undefined);
      if (permit && signal.aborted) this.release(permit);
      else if (permit) return permit;
      await sleep(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  /** The work is done, or none came. */
  release(permit: Permit): void {
    this.permits.delete(permit);
  }

  /** Runs work whose containers are waited for until `signal`. Of admitted work the first one is what its permit stood for. */
  during<T>(signal: AbortSignal, admitted: boolean, work: () => Promise<T>): Promise<T> {
    // A poll that was under way when this host began to leave.
    if (admitted && this.closed)
      return Promise.reject(new PointsmanError('Unavailable', 'this host takes nothing new', 'Another one takes it.'));
    const permit = admitted ? [...this.permits].find(({ state }) => state === 'polling') : undefined;
    if (permit) permit.state = 'begun';
    return this.activity.run({ permit, signal }, work);
  }

  /** No new work comes here any more. What runs may make what it needs. */
  close(): void {
    this.closed = true;
  }

  /** Whether admitted work is under way, or a container is about to run: more may be here in a moment than is now. */
  get expects(): boolean {
    const begun = [...this.permits].some(({ state }) => state !== 'polling');
    return begun || this.waiting.size > 0 || this.reserved.size > 0;
  }

  /**
   * Where no place has been free for a while, no longer counts the containers that `unused` names. A worker that was killed
   * leaves what it was making or running tests in, and a run leaves a sandbox that it finds at another command than it was: if
   * all places were held so, nobody would ever ask for the work that uses them, or makes them again. Returns how many there are.
   */
  async discount(unused: (held: readonly Held[]) => Promise<ReadonlySet<string>>): Promise<number> {
    const full = placesTaken(await this.held()) >= this.most;
    if (!full) this.roomAt = performance.now();
    if (performance.now() - this.roomAt < FULL_MS) return 0;
    const meanwhile = new Set<string>();
    this.meanwhile = meanwhile;
    const idle = await unused(await this.look());
    this.meanwhile = undefined;
    this.idle = new Set([...idle].filter((name) => !meanwhile.has(name)));
    this.roomAt = performance.now();
    return this.idle.size;
  }

  /**
   * Makes a container once there is room for it. One of a run that has a place left needs no other, and one of a run that
   * holds a place goes ahead where nothing here ends by itself: sandboxes of agents, and what waits as it does.
   */
  async make<T>(wanted: Held, make: () => Promise<T>): Promise<T> {
    this.waiting.add(wanted);
    this.idle.delete(wanted.name);
    this.meanwhile?.add(wanted.name);
    try {
      const signal = this.activity.getStore()?.signal;
      while (!(await this.exclusively(() => this.tryReserve(wanted)))) await sleep(LOOK_MS, undefined, { signal });
    } finally {
      this.waiting.delete(wanted);
    }
    try {
      return await make();
    } finally {
      this.seen = undefined;
      this.reserved.delete(wanted.name);
    }
  }

  private async tryAdmit(): Promise<Permit | undefined> {
    if (this.closed || this.errandWaits) return undefined;
    const pending = [...this.permits].filter(({ state }) => state !== 'counted').length;
    if (placesTaken(await this.held()) + pending >= this.most) return undefined;
    if (await this.obstacle()) return undefined;
    const permit: Permit = { state: 'polling' };
    this.permits.add(permit);
    return permit;
  }

  private async tryReserve(wanted: Held): Promise<boolean> {
    if (this.most !== Number.POSITIVE_INFINITY) {
      const others = (await this.held()).filter(({ name }) => name !== wanted.name);
      const fits = placesTaken([...others, this.fitting(wanted)]) <= this.most;
      const held = new Set([...this.waiting].map(({ run }) => run));
      const stuck = others.every(({ kind, run }) => kind === 'lease' || held.has(run));
      const holds = others.some(({ run }) => run === wanted.run);
      if (wanted.kind === 'lease' && !holds && this.errandWaits) return false;
      if (!fits && !(stuck && holds)) return false;
    }
    this.reserved.set(wanted.name, wanted);
    const permit = this.activity.getStore()?.permit;
    if (permit) permit.state = 'counted';
    return true;
  }

  private get errandWaits(): boolean {
    return [...this.waiting].some(({ kind }) => kind === 'errand');
  }

  private async held(): Promise<Held[]> {
    // Before the look: what is made meanwhile is in neither, if it is only asked for afterwards.
    const before = [...this.reserved.values()];
    if (!this.seen || performance.now() - this.seen.at >= LOOK_MS)
      this.seen = { at: performance.now(), held: this.look() };
    const running = (await this.seen.held).filter(({ name }) => !this.idle.has(name));
    const all = new Map([...running, ...before].map((each) => [each.name, this.fitting(each)] as const));
    return [...all.values()];
  }

  /** What would never fit has the host for itself. */
  private fitting(held: Held): Held {
    return { ...held, takes: Math.min(held.takes, this.most), keeps: Math.min(held.keeps ?? 0, this.most) };
  }

  /** One after the other: two that look at the same moment would both see the last place. */
  private exclusively<T>(step: () => Promise<T>): Promise<T> {
    const done = this.turn.then(step);
    this.turn = done.catch(() => {});
    return done;
  }
}
