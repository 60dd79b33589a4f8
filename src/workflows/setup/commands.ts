import type { RanSetup, RunSetupInput } from '../../activities/setup/sandbox';
import type { Frame, Lease, Ref } from '../../contract';
import type { Owner } from '../../sandbox/labels';
import type { Attribution } from '../../setup/loop/attribution';
import { codeOf } from '../durable/failures';
import { keepText, setupHost } from './activities';
import type { DoneActions, DoneCommand } from './done-actions';
import type { SandboxLosses } from './losses';

/** One command of a turn; `part` tells several of one turn apart. */
interface TurnCommand {
  readonly turn: number;
  readonly part?: string;
  readonly command: Ref;
}

export interface RunRequest extends TurnCommand, Pick<RunSetupInput, 'step' | 'since'> {
  /** Whether it can have changed the sandbox. */
  readonly reads: boolean;
  readonly line: string;
}

/** Sandboxes that may be lost under one and the same command before that command must be the reason. */
const MAX_UNDER_ONE = 3;
/** Runs in place of a command that no sandbox outlives, so that its step says so and ends as such a command does. */
const FATAL = `echo 'The sandbox ended under this command ${MAX_UNDER_ONE} times. It was made again, without the command.'; (exit 137)`;

function jobOf({ turn, part, command }: TurnCommand): string {
  return `${turn}${part ? `-${part}` : ''}-${command.sha256.slice(0, 12)}`;
}

/** What the commands of a set-up need to know of the sandbox they run in, which may be another one after each loss. */
export interface CommandsAt {
  readonly owner: Owner;
  readonly lease: () => Lease;
  readonly top: () => Frame | undefined;
  readonly losses: Pick<SandboxLosses, 'surviving' | 'blame'>;
}

/** The commands of one set-up: each begins where the one before it ended, at its `position` in the sandbox's journal. */
export class SetupCommands {
  private position = '';

  constructor(
    private readonly at: CommandsAt,
    private readonly seconds: number,
    private readonly done: DoneActions,
  ) {}

  /** The next command begins where the sandbox is: as it was made, or as a frame holds it. */
  beginAt(position: string): void {
    this.position = position;
  }

  /**
   * Runs a command; a lost container or host is made again first, and the command runs there. One that ends every sandbox
   * it runs in has failed, and does not take the run along.
   */
  async run(request: RunRequest): Promise<RanSetup & { attribution: Attribution | null }> {
    let losses = 0;
    let command = request.command;
    const ran = await this.at.losses.surviving(async () => {
      if (losses >= MAX_UNDER_ONE) command = await keepText(FATAL);
      return this.execute({ ...request, command }).catch((error) => {
        if (codeOf(error) === 'SandboxLost') losses += 1;
        throw error;
      });
    });
    if (losses >= MAX_UNDER_ONE) this.at.losses.blame(losses);
    this.remember({ ...request, command }, ran.exitCode);
    this.position = jobOf({ ...request, command });
    return ran;
  }

  /** Keeps a command that stands, to be done again; one that ran in a lane of a race as well. */
  remember({ turn, part, command }: TurnCommand, exitCode: number | null): void {
    this.done.add({ turn, job: jobOf({ turn, part, command }), command, exitCode }, this.at.top()!);
  }

  /** Does a command again; says so when it ends otherwise than it had. */
  async again({ turn, job, command, exitCode }: DoneCommand): Promise<string[]> {
    const ran = await this.call(`again: turn ${turn}`, { job, command });
    this.position = job;
    if (ran.exitCode === exitCode) return [];
    return [`made again, the command of turn ${turn} ended with ${ran.exitCode} where it had ended with ${exitCode}`];
  }

  private execute({ line, step, since, ...command }: RunRequest) {
    const own = { job: jobOf(command), command: command.command };
    const asked = { step, since };
    return this.call(`turn ${command.turn} · ${line}`, { ...own, ...asked });
  }

  private call(summary: string, own: Pick<RunSetupInput, 'job' | 'command' | 'step' | 'since'>) {
    const lease = this.at.lease();
    return setupHost(lease.host, this.seconds).runSetup.executeWithOptions({ summary: summary.slice(0, 120) }, [
      { owner: this.at.owner, lease, after: this.position, seconds: this.seconds, ...own },
    ]);
  }
}
