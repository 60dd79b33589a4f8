import type { Exhibit } from '../../activities/setup/evidence';
import type { Brief } from '../../activities/setup/moves';
import type { Frame, Ref } from '../../contract';
import { countsLine } from '../../setup/counts-line';
import type { Verified } from '../../setup/loop/gate';
import { completeService, installCommand, serviceTrouble } from '../../setup/loop/services';
import { keepText, setupStore } from './activities';
import type { SetupMemory } from './memory';
import { RoleEnded, verify } from './roles';
import { markTried, meet, type SetupRun, unmeet } from './state';
import { type Ran, SetupTrials, standing, type Told, verdictLine } from './trials';

/** A decision of the agent that is to be carried out. */
export interface Decided {
  readonly brief: Brief;
  /** Blob of the turn. */
  readonly turn: string;
  readonly command: Ref | null;
}

/** The seven actions of the set-up agent, each one step of its chain. */
export class SetupActions {
  private readonly trials: SetupTrials;

  constructor(
    private readonly setup: SetupRun,
    private readonly memory: SetupMemory,
  ) {
    this.trials = new SetupTrials(setup);
  }

  /** Carries one out. Gives the proof that ends the loop, when a `verify` passed. */
  async perform(decided: Decided): Promise<Verified | null> {
    switch (decided.brief.kind) {
      case 'shell':
      case 'set_env':
        await this.shell(decided);
        return null;
      case 'try_experience':
        await this.tryExperience(decided);
        return null;
      case 'rollback':
        await this.rollback(decided);
        return null;
      case 'start_service':
        await this.startService(decided);
        return null;
      case 'verify':
        return this.verify(decided);
      default:
        // `finish` without a proof: the loop ends with one, so there is none here.
        await this.tell(decided, null, [
          'finish is refused: no verify has passed on this state. Use verify; or finish with "success": false and the reason.',
        ]);
        return null;
    }
  }

  private async shell({ brief, turn, command }: Decided): Promise<void> {
    const notes = [];
    if (brief.rules.length > 0) {
      const frame = await this.setup.sandbox.checkpoint(
        `before turn ${this.setup.state.turn}`,
        this.setup.state.turn,
        brief.rules,
      );
      notes.push(`frame ${frame.index} before it (${brief.rules.join(', ')})`);
    }
    notes.push(...this.setup.sandbox.takeRemarks());
    const ran = await this.setup.sandbox.run({
      turn: this.setup.state.turn,
      command: command!,
      reads: brief.reads,
      line: brief.line,
      step: { head: this.setup.state.head, turn, notes },
    });
    this.setup.state.head = ran.head!;
    this.remember(brief.line, ran.exitCode);
    // A look around, with or without a find, leaves what stands in the way where it is.
    if (!(brief.reads && this.setup.state.failure)) await this.after(ran, command!);
  }

  /** Checkpoint → Adapt → Trial → Attribute → Feedback → keep or roll back. */
  private async tryExperience(decided: Decided): Promise<void> {
    const { brief, command } = decided;
    const unit = brief.unit ?? '';
    const { state, sandbox } = this.setup;
    if (brief.text === 'not suggested')
      return this.tell(decided, null, [`${unit} is no unit that was suggested here, or it was tried already.`]);
    markTried(state, [unit]);
    if (!command)
      return this.tell(decided, null, [
        `No action of ${unit} can be rendered for this container: adapt its advice and give the command.`,
      ]);

    const frame = await sandbox.checkpoint(`before ${unit}`, state.turn, ['experience']);
    // Lanes would share a sibling's data, and no trial could tell its own effect.
    const speculates = this.setup.input.experience.speculate > 1 && !sandbox.hasSiblings;
    const others = speculates ? await this.memory.rivals(unit) : [];
    const trial =
      others.length > 0 ? await this.trials.race({ unit, command }, others) : await this.trials.alone(unit, command);
    const keep =
      trial.record.outcome === 'success' ||
      (trial.here &&
        trial.record.outcome === 'neutral' &&
        (trial.forward || this.setup.input.experience.neutral === 'keep'));
    const record = { ...trial.record, kept: keep };
    state.trials.push(record);
    const told: (Ref | string)[] = [...trial.told, verdictLine(record)];
    const notes = [
      `frame ${frame.index} before it`,
      `${record.unit}: ${record.outcome}, ${keep ? 'kept' : 'rolled back'}`,
    ];
    if (keep) state.kept[state.turn] = standing(trial, record, state.failure);
    else if (trial.here) notes.push(...(await sandbox.rollback(1, state.turn)).notes);
    await this.tell(decided, trial.exitCode, told, notes, keep ? [] : [state.turn]);
    if (keep && trial.again) return this.after(trial.again, state.failure!.command);
    if (keep && record.outcome === 'success') meet(state, null);
    await this.memory.consider();
  }

  private async rollback(decided: Decided): Promise<void> {
    const { state, sandbox } = this.setup;
    const back = await sandbox.rollback(decided.brief.frames ?? 1, state.turn);
    for (const step of state.recent) if (back.undone.includes(step.turn)) step.undone = true;
    for (const turn of back.undone) delete state.kept[turn];
    if (back.undone.length > 0) unmeet(state, back.undone);
    const undone =
      back.undone.length === 0
        ? 'No step was undone.'
        : `Undone: turn ${back.undone.join(', ')}. What these steps did is no longer there.`;
    const told = [`The sandbox is back at the frame "${back.frame.label}". ${undone}`, ...back.notes];
    await this.tell(decided, 0, [told.join('\n')], back.notes, back.undone);
    await this.memory.consider();
  }

  private async startService(decided: Decided): Promise<void> {
    const spec = completeService(decided.brief.service!);
    const trouble = spec.image?.includes('@')
      ? `service ${spec.name}: name the image without a digest`
      : serviceTrouble(spec);
    if (trouble) return this.tell(decided, null, [trouble]);
    const install = spec.kind === 'process' ? installCommand(spec) : undefined;
    if (install) {
      await this.setup.sandbox.checkpoint(`before ${spec.name}`, this.setup.state.turn, ['service']);
      const command = await this.kept(install);
      const ran = await this.setup.sandbox.run({
        turn: this.setup.state.turn,
        part: 'install',
        command,
        reads: false,
        line: `packages of ${spec.name}`,
      });
      if (ran.exitCode !== 0) {
        await this.tell(decided, ran.exitCode, [`The packages of ${spec.name} could not be installed.`, ran.output]);
        return this.after(ran, command);
      }
    }
    const { failed } = await this.setup.sandbox.serve(spec, this.setup.state.turn);
    const where = spec.kind === 'container' ? `at ${spec.name}:${spec.port}` : `at 127.0.0.1:${spec.port}`;
    await this.tell(decided, failed ? 1 : 0, [
      failed ? `${spec.name} did not start: ${failed.why}` : `${spec.name} is ready ${where}.`,
    ]);
    if (!failed) await this.cleared();
  }

  private async verify(decided: Decided): Promise<Verified | null> {
    const { state, sandbox } = this.setup;
    state.selfClaim = true;
    state.claim = decided.brief.text ?? '';
    await sandbox.checkpoint('before verify', state.turn, ['verify']);
    const unfinished = await this.askVerifier().catch(roleEnded);
    if (unfinished || !state.verified!.result.success) {
      sandbox.gate.failed();
      // Tests write to databases beside the sandbox: the agent goes on without what they wrote.
      await sandbox.siblingsBack();
    }
    if (unfinished) {
      await this.tell(decided, 1, [`The verifier did not finish: ${unfinished.message}`]);
      return null;
    }
    const { result } = state.verified!;
    const { counts, evidence } = result;
    await this.tell(decided, result.success ? 0 : 1, [
      `The verifier says ${result.success ? 'yes' : 'no'} (${result.framework ?? 'no framework'}: ${countsLine(counts)}). ${result.hint}`,
      ...(evidence && !result.success ? [`$ ${evidence.command}`, evidence.output] : []),
    ]);
    if (result.success) return sandbox.gate.passed();
    state.selfClaim = false;
    if (evidence) await this.failed({ ...evidence, signature: '' }, await this.kept(evidence.command));
    return null;
  }

  /** A proof of the state as it is now: the one there is, or that of another look at a sandbox that was made again since. */
  async proofOfNow(): Promise<Verified | null> {
    const { gate } = this.setup.sandbox;
    if (gate.verified) return gate.verified;
    await this.askVerifier();
    return this.setup.state.verified!.result.success ? gate.passed() : null;
  }

  private async askVerifier(): Promise<void> {
    const { state, sandbox, input } = this.setup;
    const about = {
      agent: state.head,
      claim: state.claim,
      hint: state.claim,
      services: sandbox.services,
      verifier: null,
      charges: null,
    };
    state.verified = await sandbox.surviving(() =>
      verify(this.setup, this.exhibit(sandbox.top), input.roles.verifier, about),
    );
  }

  exhibit(frame: Frame): Exhibit {
    const { sandbox, input } = this.setup;
    return {
      owner: this.setup.owner,
      lease: sandbox.at,
      frame,
      given: this.setup.given,
      services: sandbox.services,
      profile: input.sandbox,
    };
  }

  private kept(text: string): Promise<Ref> {
    return this.setup.sandbox.surviving(() => keepText(text));
  }

  /** A command that ran: what it left in the way decides what memory is asked. */
  private async after(ran: Ran, command: Ref): Promise<void> {
    if (ran.exitCode === 0) await this.cleared();
    else await this.failed(ran, command);
  }

  /** Something was done and went well: whether the command that had failed passes now is for it to show. */
  private async cleared(): Promise<void> {
    meet(this.setup.state, null);
    await this.memory.consider();
  }

  private async failed(ran: Ran, command: Ref): Promise<void> {
    const { output, exitCode, signature } = ran;
    meet(this.setup.state, { turn: this.setup.state.turn, command, output, exitCode, signature });
    await this.memory.consider();
  }

  /** Appends the step with what the agent is told. */
  private async tell(
    decided: Decided,
    exitCode: number | null,
    text: Told,
    notes: readonly string[] = [],
    undoes: readonly number[] = [],
  ): Promise<void> {
    const { state, sandbox } = this.setup;
    const step = {
      head: state.head,
      turn: decided.turn,
      notes: [...notes, ...sandbox.takeRemarks()],
      undoes,
      observation: { text, exitCode },
    };
    const summary = `turn ${this.setup.state.turn} · told: ${decided.brief.line}`.slice(0, 120);
    const { head } = await this.setup.sandbox.surviving(() =>
      setupStore.appendSetupStep.executeWithOptions({ summary }, [step]),
    );
    this.setup.state.head = head;
    this.remember(decided.brief.line, exitCode, undoes.includes(this.setup.state.turn));
  }

  private remember(line: string, exitCode: number | null, undone = false): void {
    this.setup.state.recent.push({ turn: this.setup.state.turn, line, exitCode, undone });
    if (this.setup.state.recent.length > 30) this.setup.state.recent.shift();
  }
}

/** That a role ended before it was done is an answer, too. */
function roleEnded(error: unknown): RoleEnded {
  if (error instanceof RoleEnded) return error;
  throw error;
}
