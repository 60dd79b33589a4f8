import { executeChild, ParentClosePolicy } from '@temporalio/workflow';
import type { KeptSetup } from '../../activities/setup/result';
import type { SetupVerdictResult } from '../../contract';
import type { Verified } from '../../setup/loop/gate';
import { isCancellation, messageOf } from '../durable/failures';
import type { SetupActions } from './actions';
import { rebuildTimeout } from './activities';
import { SandboxGone } from './losses';
import type { SetupRun } from './state';
import { setupVerdict } from './verdict';

/** What becomes of a set-up that its verifier passed: a court looks at it, and it is kept and made again. */
export class SetupEnding {
  constructor(
    private readonly setup: SetupRun,
    private readonly actions: SetupActions,
  ) {}

  /** Prosecutor and judge see the frame that the verifier passed, with what is left. Trouble with the trial is `error`. */
  async judge(): Promise<SetupVerdictResult> {
    const { state, sandbox, input, limits, owner, given, purse, allowance } = this.setup;
    const { services } = this.actions.exhibit(sandbox.top);
    const frame = sandbox.top;
    const { goal, base, workdir, roles, observationChars, budget } = input;
    const of = {
      owner,
      lease: sandbox.at,
      frame,
      given,
      agent: state.head,
      claim: state.claim,
      verifier: state.verified?.ref ?? null,
      spent: allowance.spent,
    };
    try {
      const result = await executeChild(setupVerdict, {
        args: [
          {
            source: input.source,
            image: frame.image,
            workdir,
            base,
            goal,
            services: [...services],
            roles,
            limits,
            sandbox: input.sandbox,
            observationChars,
            of,
            budget,
          },
        ],
        workflowId: `${owner.workflowId}/verdict`,
        parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
        staticSummary: `verdict on ${input.source}`.slice(0, 120),
      });
      purse.usd += result.cost.usd;
      purse.tokens += result.cost.tokens;
      return result;
    } catch (error) {
      if (isCancellation(error)) throw error;
      const nothing = { charges: [], findings: [], heads: { prosecutor: '', judge: '' }, cost: { usd: 0, tokens: 0 } };
      return { verdict: 'error', ...nothing, detail: messageOf(error) };
    }
  }

  /** Image, Dockerfile and script of a state that there is a proof of, whatever is lost meanwhile. Throws `SandboxGone` and `RoleEnded`. */
  async keep(): Promise<KeptSetup> {
    const { actions, setup } = this;
    const { sandbox } = setup;
    let proof: Verified | null;
    let kept: KeptSetup;
    do {
      proof = await actions.proofOfNow();
      if (!proof) {
        setup.state.status = 'sandbox_lost';
        throw new SandboxGone('its host was lost, and what was made again does not pass the verify');
      }
      sandbox.willKeep();
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
    const { sandbox, limits } = this.setup;
    const verifier = this.setup.state.verified!.result;
    const { reproduced, detail } = await sandbox.surviving(() =>
      sandbox
        .host()
        .reproduceSetup.executeWithOptions(
          { summary: 'the script on the base image', startToCloseTimeout: rebuildTimeout(limits) },
          [
            {
              ...this.what(),
              script,
              verifier,
              seconds: limits.commandSeconds,
              wallClockSeconds: limits.wallClockSeconds,
            },
          ],
        ),
    );
    return { reproduced, reproducedDetail: detail };
  }

  private what() {
    const { owner, given, state, sandbox, input } = this.setup;
    return {
      owner,
      lease: sandbox.at,
      frame: sandbox.top,
      given,
      head: state.head,
      trials: state.kept,
      services: sandbox.services,
      profile: input.sandbox,
    };
  }
}
