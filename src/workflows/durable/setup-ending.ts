import { executeChild, ParentClosePolicy } from '@temporalio/workflow';
import type { KeptSetup } from '../../activities/setup-result';
import type { Ref, RepoSetupInput, SetupLimits, SetupVerdictResult } from '../../contract';
import type { Owner } from '../../sandbox/labels';
import type { Verified } from '../../setup/loop/gate';
import { setupVerdict } from '../setup-verdict';
import type { Allowance } from './allowance';
import { isCancellation, messageOf } from './failures';
import { SandboxGone } from './sandbox-losses';
import type { SetupActions } from './setup-actions';
import { rebuildTimeout } from './setup-activities';
import type { SetupSandbox } from './setup-sandbox';
import type { SetupState } from './setup-state';

/** What becomes of a set-up that its verifier passed: a court looks at it, and it is kept and made again. */
export class SetupEnding {
  constructor(
    private readonly state: SetupState,
    private readonly sandbox: SetupSandbox,
    private readonly actions: SetupActions,
    private readonly input: RepoSetupInput,
    private readonly limits: SetupLimits,
    private readonly allowance: Allowance,
    private readonly given: Ref,
    private readonly owner: Owner,
  ) {}

  /** Prosecutor and judge see the frame that the verifier passed, with what is left. Trouble with the trial is `error`. */
  async judge(): Promise<SetupVerdictResult> {
    const { state, sandbox, input, limits, owner, given } = this;
    const { services } = this.actions.exhibit(sandbox.top);
    const frame = sandbox.top;
    const { goal, base, workdir, roles, observationChars, budget } = input;
    const of = {
      ...{ owner, lease: sandbox.at, frame, given, agent: state.head, claim: state.claim },
      ...{ verifier: state.verified?.ref ?? null, spent: this.allowance.spent },
    };
    try {
      const result = await executeChild(setupVerdict, {
        args: [
          {
            ...{
              source: input.source,
              image: frame.image,
              workdir,
              base,
              goal,
              services: [...services],
              roles,
              limits,
            },
            ...{ sandbox: input.sandbox, observationChars, of },
            ...(budget ? { budget } : {}),
          },
        ],
        workflowId: `${owner.workflowId}/verdict`,
        parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
        staticSummary: `verdict on ${input.source}`.slice(0, 120),
      });
      state.purse.usd += result.cost.usd;
      state.purse.tokens += result.cost.tokens;
      return result;
    } catch (error) {
      if (isCancellation(error)) throw error;
      const nothing = { charges: [], findings: [], heads: { prosecutor: '', judge: '' }, cost: { usd: 0, tokens: 0 } };
      return { verdict: 'error', ...nothing, detail: messageOf(error) };
    }
  }

  /** Image, Dockerfile and script of a state that there is a proof of, whatever is lost meanwhile. Throws `SandboxGone` and `RoleEnded`. */
  async keep(): Promise<KeptSetup> {
    const { actions, sandbox } = this;
    let proof: Verified | null;
    let kept: KeptSetup;
    do {
      proof = await actions.proofOfNow();
      if (!proof) {
        this.state.status = 'sandbox_lost';
        throw new SandboxGone('its host was lost, and what was made again does not pass the verify');
      }
      kept = await sandbox.surviving(() =>
        sandbox
          .host()
          .keepSetup.executeWithOptions({ summary: 'environment image, Dockerfile, script' }, [this.what()]),
      );
    } while (sandbox.gate.verified !== proof);
    return kept;
  }

  /** The same from the base image by the script alone, and the verified tests in what comes out. */
  async reproduce({ script }: KeptSetup): Promise<{ reproduced: boolean; reproducedDetail?: string }> {
    const { sandbox, limits } = this;
    const verifier = this.state.verified!.result;
    const { reproduced, detail } = await sandbox.surviving(() =>
      sandbox
        .host()
        .reproduceSetup.executeWithOptions(
          { summary: 'the script on the base image', startToCloseTimeout: rebuildTimeout(limits) },
          [
            {
              ...{ ...this.what(), script, verifier },
              ...{ seconds: limits.commandSeconds, wallClockSeconds: limits.wallClockSeconds },
            },
          ],
        ),
    );
    return { reproduced, ...(detail === undefined ? {} : { reproducedDetail: detail }) };
  }

  private what() {
    const { owner, given, state, sandbox, input } = this;
    return {
      ...{ owner, lease: sandbox.at, frame: sandbox.top, given, head: state.head },
      ...{ trials: state.kept, services: sandbox.services, profile: input.sandbox },
    };
  }
}
