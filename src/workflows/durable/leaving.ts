import { ApplicationFailure, defineSignal, setHandler } from '@temporalio/workflow';
import { HOST_LEAVING, type HostLeaving, type Lease } from '../../contract';

const hostLeaving = defineSignal<[HostLeaving]>(HOST_LEAVING);

/** What hosts said of their going: a drain, or a worker that is told to stop. */
export class LeavingHosts {
  private readonly said = new Map<string, HostLeaving>();

  /** Hears them from here on; what was said before is heard now. */
  constructor() {
    setHandler(hostLeaving, (said) => void this.said.set(said.host, said), {
      description: 'A host takes nothing new: what runs there goes on elsewhere.',
    });
  }

  /** Whether the sandbox should go on elsewhere; its host still answers. */
  leaves({ hostName }: Lease): boolean {
    return this.said.has(hostName);
  }

  /** Whether nobody answers there any more. */
  hasLeft({ hostName }: Lease): boolean {
    return this.said.get(hostName)?.gone ?? false;
  }

  /** The run has come back to it, so it is there again. */
  forget({ hostName }: Lease): void {
    this.said.delete(hostName);
  }
}

/** As its worker says it of commands that it can no longer end. */
export function hostLost({ hostName }: Lease): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`${hostName} has left`, 'HostLost');
}
