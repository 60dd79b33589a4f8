import {
  type Charge,
  type Evidence,
  type Frame,
  type JudgeMove,
  type Lease,
  PointsmanError,
  type ProsecutorMove,
  type Ref,
  type SandboxProfile,
  type ServiceSpec,
  type SetupRole,
  type SetupStep,
  type SetupVerdictResult,
  type VerifierMove,
  type VerifierResult,
} from '../../contract';
import { isPointsmanError } from '../../contract/errors';
import type { Deps } from '../../deps';
import { preview } from '../../rollout/summary';
import type { Owner } from '../../sandbox/labels';
import type { ThrowawayCommand, ThrowawaySpec } from '../../sandbox/sandbox';
import { findingsOf, refusal } from '../../setup/findings';
import type { Given } from '../../setup/given';
import { installCommand } from '../../setup/loop/services';
import { chargesOf, verdictOf, verifierResult } from '../../setup/verdict';
import { withHeartbeat } from '../heartbeat';
import { createReader } from './chain';

/** The state that is looked at, and where its image is. */
export interface Exhibit {
  readonly owner: Owner;
  /** Only its host has the frame's image. */
  readonly lease: Pick<Lease, 'host' | 'hostName'>;
  readonly frame: Pick<Frame, 'image' | 'cwd' | 'env' | 'index' | 'services'>;
  readonly given: Ref;
  readonly services: readonly ServiceSpec[];
  readonly profile: SandboxProfile;
}

export interface MakeMoveInput extends Exhibit {
  readonly role: Exclude<SetupRole, 'agent'>;
  readonly head: string;
  readonly turn: string;
  readonly seconds: number;
  /** What the judge decides about. */
  readonly charges?: Ref | null;
}

export interface MadeMove {
  readonly head: string;
  /** Null where it was refused, or stopped at its deadline; 0 for a move that runs nothing. */
  readonly exitCode: number | null;
  readonly preview: string;
}

const PREVIEW = 600;
/** Containers that one command may end before that is what it does. */
const MOST_ENDED = 3;
const ENDED_ITSELF = `The container ended under this command ${MOST_ENDED} times.\n`;

export function createSetupEvidenceActivities(deps: Deps) {
  const { sandboxes, blobs, setupChains } = deps;
  const reader = createReader(deps);

  /** A container that is gone is made again, until the command must be what ends it. */
  async function untilItEnds(spec: ThrowawaySpec, command: ThrowawayCommand) {
    for (let ended = 1; ; ended++) {
      try {
        return await sandboxes.throwaway(spec, command);
      } catch (error) {
        if (!isPointsmanError(error) || error.code !== 'SandboxLost') throw error;
        if (ended === MOST_ENDED) return { exitCode: 137, timedOut: false, output: Buffer.from(ENDED_ITSELF) };
      }
    }
  }

  /**
   * Runs what a move wants run, in a throw-away container of the frame that no other move shares, beside siblings as the
   * frame holds them.
   */
  async function run(
    input: MakeMoveInput,
    command: string,
    files: readonly { path: string; content: string }[],
    signal: AbortSignal,
  ): Promise<SetupStep['observation']> {
    const { owner, frame, profile, services, role, seconds } = input;
    const given = await reader.json<Given>(input.given);
    const beside = { owner, services, base: given.base, install: installCommand };
    const network = await sandboxes.services.asAt(beside, frame, signal);
    const done = await untilItEnds(
      {
        owner,
        role: `judge-${role}`,
        image: frame.image,
        cwd: frame.cwd,
        env: frame.env,
        workdir: given.workdir,
        components: given.components.map(({ workdir }) => workdir),
        profile,
        services,
        network,
      },
      { command, files, timeoutMs: seconds * 1000, signal },
    );
    return {
      text: await blobs.put(done.output),
      exitCode: done.exitCode,
      timedOutAfter: done.timedOut ? seconds : null,
      elidedBytes: 0,
    };
  }

  async function observe(
    input: MakeMoveInput,
    move: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<SetupStep['observation']> {
    const said = async (text: string, exitCode: number | null) => ({
      text: await blobs.put(text),
      exitCode,
      timedOutAfter: null,
      elidedBytes: 0,
    });
    if (input.role === 'judge') {
      const before = await reader.movesAt<JudgeMove>(input.head);
      const { charges } = input;
      const listed = charges ? await reader.json<Charge[]>(charges) : [];
      // Validated when the turn was made.
      const refused = refusal(before, move as JudgeMove, listed);
      if (refused) return said(refused, null);
    }
    if (typeof move.command !== 'string') return said('', 0);
    const smoke = move.move === 'smoke' ? [{ path: String(move.path), content: String(move.content) }] : [];
    return run(input, move.command, smoke, signal);
  }

  /** What a move's command did; null for a move that ran nothing. */
  async function evidenceOf({ turn, observation }: SetupStep): Promise<Evidence | null> {
    if (typeof turn.move.command !== 'string' || (observation.exitCode === null && observation.timedOutAfter === null))
      return null;
    const { text, exitCode, timedOutAfter } = observation;
    return {
      command: turn.move.command,
      exitCode,
      timedOut: timedOutAfter !== null,
      output: text,
      preview: preview((await blobs.get(text.sha256)).toString('utf8'), PREVIEW),
    };
  }

  async function evidenceAt(head: string): Promise<(Evidence | null)[]> {
    const { steps } = await setupChains.chain(head);
    return Promise.all(steps.map(evidenceOf));
  }

  return {
    /**
     * Makes a judging role's move and appends it to its chain. Retry-safe: each attempt has a fresh container of the same
     * frame. Throws for outages; a finding is never one.
     */
    async makeMove(input: MakeMoveInput): Promise<MadeMove> {
      return withHeartbeat(async (signal) => {
        if (input.lease.hostName !== deps.hostName)
          throw new PointsmanError('Unavailable', `a frame of ${input.lease.hostName} was asked of ${deps.hostName}`);
        const turn = await setupChains.turn(input.turn);
        const observation = await observe(input, turn.move, signal);
        const step: SetupStep = { kind: 'setup-step', parent: input.head, turn, observation, notes: [], undoes: [] };
        const text = (await blobs.get(observation.text.sha256)).toString('utf8');
        return {
          head: await setupChains.append(step),
          exitCode: observation.exitCode,
          preview: preview(text, PREVIEW),
        };
      });
    },

    /** What the verifier's chain amounts to. Reads blobs only. */
    async concludeVerifier({ head }: { head: string }): Promise<{ result: VerifierResult; ref: Ref }> {
      const moves = await reader.movesAt<VerifierMove>(head);
      const { components } = await reader.givenOf(head);
      const workdirs = components.map(({ workdir }) => workdir);
      const result = verifierResult(moves, await evidenceAt(head), head, workdirs);
      return { result, ref: await blobs.put(JSON.stringify(result)) };
    },

    /** The charges that a prosecutor's chain brings, each with the run that shows it. Reads blobs only. */
    async concludeProsecutor({ head }: { head: string }): Promise<{ charges: Ref; count: number }> {
      const charges = chargesOf(await reader.movesAt<ProsecutorMove>(head), await evidenceAt(head));
      return { charges: await blobs.put(JSON.stringify(charges)), count: charges.length };
    },

    /** The verdict, computed from charges and findings; an outage or a role that did not finish is `error`. Reads blobs only. */
    async concludeJudge(input: {
      charges: Ref | null;
      heads: { prosecutor: string; judge: string };
      outage?: string;
    }): Promise<Omit<SetupVerdictResult, 'cost'>> {
      const charges = input.charges ? await reader.json<Charge[]>(input.charges) : [];
      const { judge } = input.heads;
      const moves = judge === '' ? [] : await reader.movesAt<JudgeMove>(judge);
      const findings = findingsOf(moves, judge === '' ? [] : await evidenceAt(judge), charges);
      const { verdict, detail } = verdictOf(charges, findings, input.outage);
      return { verdict, charges, findings, heads: input.heads, detail };
    },
  };
}
