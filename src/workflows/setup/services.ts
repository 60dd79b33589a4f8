import type { Frame, Lease, ServiceSpec } from '../../contract';
import type { Owner } from '../../sandbox/labels';
import type { Compensations } from '../durable/compensations';
import { setupHost } from './activities';

/** Installing a service takes minutes. */
const START_SECONDS = 1_800;

/** Where the services of one set-up run, and how they are undone when it ends. */
export interface ServicesAt {
  readonly owner: Owner;
  /** Image that services beside the sandbox start from. */
  readonly base: string;
  readonly undo: Compensations;
  lease(): Lease;
  host(): ReturnType<typeof setupHost>;
}

/** The services that a set-up declared: in its sandbox or beside it, kept with every frame and up again after a rollback. */
export class DeclaredServices {
  specs: ServiceSpec[] = [];

  constructor(private readonly at: ServicesAt) {}

  get names(): string[] {
    return this.specs.map(({ name }) => name);
  }

  /** Whether a service runs beside the sandbox, where everything that runs meets its data. */
  get hasSiblings(): boolean {
    return this.specs.some(({ kind }) => kind === 'container');
  }

  start(services: readonly ServiceSpec[]) {
    const summary = `services: ${services.map(({ name }) => name).join(', ')}`.slice(0, 120);
    const { owner, base, undo } = this.at;
    const lease = this.at.lease();
    if (services.some(({ kind }) => kind === 'container')) undo.register({ kind: 'network' });
    for (const { kind, name } of services) if (kind === 'container') undo.register({ kind: 'service', name });
    return setupHost(lease.host, START_SECONDS).startSetupServices.executeWithOptions({ summary }, [
      { owner, lease, services, base },
    ]);
  }

  /** Those that a frame holds; all of them without one. */
  heldBy(frame: Frame | undefined): ServiceSpec[] {
    return this.specs.filter(({ name }) => !frame || frame.services.includes(name));
  }

  add(spec: ServiceSpec): void {
    this.specs = [...this.specs.filter(({ name }) => name !== spec.name), spec];
  }

  /** What does not come up any more, with the reason. */
  async startAgain(services: readonly ServiceSpec[] = this.specs): Promise<string[]> {
    if (services.length === 0) return [];
    const { failed } = await this.start(services);
    return failed ? [`the service ${failed.name} did not start again: ${failed.why}`] : [];
  }

  /** Keeps what siblings hold as it was at the frame. */
  async keep(frame: number, services: readonly ServiceSpec[] = this.specs): Promise<void> {
    if (!this.hasSiblings) return;
    const kept = { owner: this.at.owner, services, frame };
    await this.at.host().keepSiblings.executeWithOptions({ summary: `siblings of frame ${frame}` }, [kept]);
  }

  /** As they were at the frame, those in the sandbox up again. What does not come up any more, with the reason. */
  async asAt(frame: Frame, above: readonly number[] = []): Promise<string[]> {
    await this.back(frame, above);
    return this.startAgain(this.heldBy(frame));
  }

  /** Siblings that the frame knows are what they were; the others are gone, and begin anew where they are declared. */
  private async back(frame: Frame, above: readonly number[]): Promise<void> {
    if (!this.hasSiblings) return;
    const services = this.heldBy(frame);
    const summary = `siblings back to: ${frame.label}`.slice(0, 120);
    await this.at
      .host()
      .siblingsBack.executeWithOptions({ summary }, [{ owner: this.at.owner, services, frame: frame.index, above }]);
  }

  /** Services that were started after the frame are no longer declared. */
  forgetAllBut(frame: Frame): void {
    this.specs = this.heldBy(frame);
  }
}
