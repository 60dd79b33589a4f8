import { profileNamed } from '../../config';
import {
  type ChatRequest,
  type FormatErrorCode,
  type JudgeMove,
  PointsmanError,
  type ProsecutorMove,
  type Ref,
  type ServiceSpec,
  SetupAction,
  type SetupRole,
  type SetupTurn,
  type SharedBudget,
  type Suggestion,
  type Usage,
  type VerifierMove,
  type VerifierResult,
} from '../../contract';
import type { Deps } from '../../deps';
import { preview } from '../../rollout/summary';
import { ownCommand } from '../../setup/findings';
import type { Given } from '../../setup/given';
import { lineOf, oneLine, setEnvCommand } from '../../setup/loop/commands';
import { onlyReads, riskRules } from '../../setup/loop/frame-policy';
import { decide, type RoleDossier, readRole, renderRole } from '../../setup/roles';
import { createAsker } from '../ask';
import { withHeartbeat } from '../heartbeat';
import { promptFiles } from '../prompts';
import { createReader } from './chain';

export interface TakeMoveInput {
  /** First execution's run id. */
  readonly run: string;
  readonly role: SetupRole;
  /** Profile name, or `builtin:...`. */
  readonly policy: string;
  readonly turn: number;
  /** Head of the role's own chain. */
  readonly head: string;
  readonly given: Ref;
  readonly about: AgentView | CaseView;
  readonly observationChars: number;
  /** Malformed replies of this turn so far, as blobs. */
  readonly rejected: readonly string[];
  readonly budget?: SharedBudget;
}

/** What changes from turn to turn for the set-up agent. */
interface AgentView {
  readonly services: readonly ServiceSpec[];
  readonly suggestions: Ref | null;
  /** Units that this run tried: they are not offered again. */
  readonly tried: readonly string[];
  readonly verified: Ref | null;
  readonly stepsLeft: number;
}

/** What the judging roles look at. */
export interface CaseView {
  /** Head of the agent's chain. */
  readonly agent: string;
  readonly claim: string;
  readonly services: readonly ServiceSpec[];
  readonly hint: string;
  /** The verifier's result, for prosecutor and judge. */
  readonly verifier: Ref | null;
  readonly charges: Ref | null;
}

/** What a workflow needs to know of a move; the whole of it is the turn's blob. */
export interface Brief {
  /** `action` of a set-up agent, `move` of the others. */
  readonly kind: string;
  /** One line for summaries. */
  readonly line: string;
  /** Policy rules that ask for a frame before it. */
  readonly rules: readonly string[];
  /** Whether it cannot change the sandbox. */
  readonly reads: boolean;
  readonly unit?: string;
  readonly frames?: number;
  readonly service?: ServiceSpec;
  readonly text?: string;
  readonly success?: boolean;
  readonly charge?: number;
}

export type TakeMoveResult = {
  readonly preview: string;
  readonly usage: Usage;
  readonly contextTokens: number;
  readonly latencyMs: number;
} & (
  | { readonly ok: true; readonly turn: string; readonly brief: Brief; readonly command: Ref | null }
  | { readonly ok: false; readonly code: FormatErrorCode; readonly rejected: string }
);

const PREVIEW = 400;
const FREE: Usage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, costUsd: 0 };

export function createSetupMoveActivities(deps: Deps) {
  const { blobs, setupChains, transcripts, config } = deps;
  const ask = createAsker(deps);
  const reader = createReader(deps);

  async function roleDossier({ role, given: ref, head, about }: TakeMoveInput): Promise<RoleDossier> {
    const given = await reader.json<Given>(ref);
    if (role === 'agent') {
      const { services, suggestions, tried, verified, stepsLeft } = about as AgentView;
      const offered = suggestions ? await reader.json<Suggestion[]>(suggestions) : [];
      const now = {
        services,
        stepsLeft,
        suggestions: offered.filter(({ unit }) => !tried.includes(unit)),
        verified: verified ? await reader.json<VerifierResult>(verified) : null,
      };
      return { role, dossier: await reader.dossierOf(given, head, now) };
    }
    const view = about as CaseView;
    const basis = await reader.caseOf(given, view.agent, view.claim, view.services);
    if (role === 'verifier')
      return { role, dossier: { ...basis, hint: view.hint }, seen: await reader.movesAt<VerifierMove>(head) };
    const verifier = view.verifier ? await reader.json<VerifierResult>(view.verifier) : null;
    const verifierMoves = verifier ? await reader.movesAt<VerifierMove>(verifier.head) : [];
    const dossier = { ...basis, verifier, verifierMoves };
    if (role === 'prosecutor') return { role, dossier, seen: await reader.movesAt<ProsecutorMove>(head) };
    const charges = view.charges ? await reader.charges(view.charges) : [];
    return { role, dossier: { ...dossier, charges }, seen: await reader.movesAt<JudgeMove>(head) };
  }

  async function kept(
    input: TakeMoveInput,
    move: Record<string, unknown>,
    said: Pick<SetupTurn, 'model' | 'reply' | 'rejected' | 'usage'>,
  ): Promise<{ turn: string; brief: Brief; command: Ref | null; preview: string }> {
    const { role, turn, policy } = input;
    const saved = await setupChains.saveTurn({ kind: 'setup-turn', turn, role, policy, move, ...said });
    const { brief, command } = role === 'agent' ? await agentMove(input, SetupAction.parse(move)) : briefOf(move);
    return {
      turn: saved,
      brief,
      command: command === null ? null : await blobs.put(command),
      preview: preview(`${move.thought ?? ''}\n${command ?? brief.line}`.trim(), PREVIEW),
    };
  }

  async function agentMove(
    input: TakeMoveInput,
    action: SetupAction,
  ): Promise<{ brief: Brief; command: string | null }> {
    const basis = { kind: action.action, line: lineOf(action), rules: [], reads: false };
    switch (action.action) {
      case 'shell': {
        const { command } = action;
        return { brief: { ...basis, rules: riskRules(command), reads: onlyReads(command) }, command };
      }
      case 'set_env':
        return { brief: basis, command: setEnvCommand(action) };
      case 'try_experience': {
        const { suggestions, tried } = input.about as AgentView;
        const pool = suggestions ? await reader.json<Suggestion[]>(suggestions) : [];
        const unit = tried.includes(action.unit) ? undefined : pool.find(({ unit: id }) => id === action.unit);
        const command = action.command ?? unit?.commands.join(' && ') ?? '';
        return {
          brief: { ...basis, unit: action.unit, ...(unit ? {} : { text: 'not suggested' }) },
          command: command || null,
        };
      }
      case 'rollback':
        return { brief: { ...basis, frames: action.frames }, command: null };
      case 'start_service':
        return { brief: { ...basis, service: action.service }, command: null };
      case 'verify':
        return { brief: { ...basis, text: action.hint ?? '' }, command: null };
      case 'finish':
        return { brief: { ...basis, text: action.message.slice(0, 2000), success: action.success }, command: null };
    }
  }

  return {
    /** The first link of a role's chain. Retry-safe: content-addressed. */
    async openSetupChain({
      role,
      source,
      given,
    }: {
      role: SetupRole;
      source: string;
      given: Ref;
    }): Promise<{ head: string }> {
      return { head: await setupChains.open({ kind: 'setup-opening', role, source, given }) };
    },

    /**
     * One decision of one role, by a policy of ours or by a model. Retry-safe: ours are pure, a model's answered call is in
     * the ledger before this returns, and all it writes is content-addressed.
     */
    async takeMove(input: TakeMoveInput): Promise<TakeMoveResult> {
      return withHeartbeat(async (signal) => {
        const dossier = await roleDossier(input);
        const { policy, role, turn, budget } = input;
        if (policy.startsWith('builtin:')) {
          const move = decide(policy, dossier);
          if (!move) throw noSuchPolicy(policy, role);
          const done = await kept(input, move, { model: null, reply: null, rejected: [], usage: FREE });
          return { ok: true, ...done, usage: FREE, contextTokens: 0, latencyMs: 0 };
        }
        const profile = profileNamed(config, policy);
        const rejected = await Promise.all(input.rejected.map((hash) => transcripts.rejected(hash)));
        const { [role]: system, [`${role}-moves` as const]: moves } = promptFiles(
          'setup',
          [role, `${role}-moves`],
          profile.view,
        );
        const request: ChatRequest = renderRole(dossier, {
          prompts: { system, moves },
          chars: input.observationChars,
          native: profile.view.dialect === 'tools',
          rejected,
        });
        const call = {
          run: callsOf(input),
          turn,
          attempt: rejected.length,
          name: policy,
          profile,
          request,
          signal,
        };
        const given = await ask({ ...call, budget });
        const spent = {
          usage: given.usage,
          contextTokens: given.usage.promptTokens + given.usage.completionTokens,
          latencyMs: given.latencyMs,
        };
        const read = readRole(role, given.reply);
        if (!read.ok) {
          const blob = await blobs.put(JSON.stringify({ reply: given.reply, error: read.error }));
          const shown = preview(`${read.error.code}: ${given.reply.content ?? ''}`, PREVIEW);
          return { ok: false, code: read.error.code, rejected: blob.sha256, preview: shown, ...spent };
        }
        const said = { model: given.model, reply: given.reply, rejected, usage: given.usage };
        const move = dossier.role === 'judge' ? ownCommand(read.move, dossier.dossier.charges) : read.move;
        return { ok: true, ...(await kept(input, move, said)), ...spent };
      });
    },
  };
}

/** Names a role's calls in ledger and budget: a set-up asks its verifier several times, each from turn 1. */
function callsOf({ run, role, about }: TakeMoveInput): string {
  return 'agent' in about ? `${run}/${role}-${about.agent.slice(0, 12)}` : `${run}/${role}`;
}

function briefOf(move: Record<string, unknown>): { brief: Brief; command: null } {
  const words = move.command ?? move.claim ?? move.why ?? move.hint ?? move.summary ?? '';
  return {
    brief: {
      kind: String(move.move),
      line: oneLine(`${move.move}${words === '' ? '' : `: ${words}`}`),
      rules: [],
      reads: true,
      ...(typeof move.charge === 'number' ? { charge: move.charge } : {}),
    },
    command: null,
  };
}

function noSuchPolicy(policy: string, role: SetupRole): PointsmanError {
  return new PointsmanError(
    'InvalidInput',
    `roles.${role}: ${policy} plays no ${role}`,
    'builtin:playbook is a set-up agent; builtin:rules plays verifier, prosecutor, judge and librarian.',
  );
}
