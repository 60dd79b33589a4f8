import {
  type ChatMessage,
  type ChatRequest,
  JudgeMove,
  ProsecutorMove,
  type RawReply,
  type Rejected,
  SetupAction,
  type SetupRole,
  VerifierMove,
} from '../../contract';
import { preview } from '../../rollout/clip';
import { splitReasoning } from '../../rollout/reasoning';
import { playbook } from '../playbook/playbook';
import { judge } from './judge';
import { judgePrompt, prosecutorPrompt, type RolePrompts, setupPrompt, verifierPrompt } from './prompts';
import { prosecutor } from './prosecutor';
import { type Moves, type ReadMove, readMove, toolsOf } from './read-move';
import type { JudgeDossier, ProsecutorDossier, Seen, SetupDossier, VerifierDossier } from './role';
import { verifier } from './verifier';

/** A role with all that it knows when it is to move. */
export type RoleDossier =
  | { readonly role: 'agent'; readonly dossier: SetupDossier }
  | { readonly role: 'verifier'; readonly dossier: VerifierDossier; readonly seen: readonly Seen<VerifierMove>[] }
  | { readonly role: 'prosecutor'; readonly dossier: ProsecutorDossier; readonly seen: readonly Seen<ProsecutorMove>[] }
  | { readonly role: 'judge'; readonly dossier: JudgeDossier; readonly seen: readonly Seen<JudgeMove>[] };

/** The move of a policy of ours; undefined where that policy does not play the role. */
export function decide(policy: string, given: RoleDossier): Record<string, unknown> | undefined {
  if (given.role === 'agent') return policy === 'builtin:playbook' ? playbook(given.dossier) : undefined;
  if (policy !== 'builtin:rules') return undefined;
  switch (given.role) {
    case 'verifier':
      return verifier(given.dossier, given.seen);
    case 'prosecutor':
      return prosecutor(given.dossier, given.seen);
    case 'judge':
      return judge(given.dossier, given.seen);
  }
}

/** What each role can do. */
const MOVES = { agent: SetupAction, verifier: VerifierMove, prosecutor: ProsecutorMove, judge: JudgeMove } as const;

export interface RenderOptions {
  readonly prompts: RolePrompts;
  /** Characters of head and of tail that are shown of one output. */
  readonly chars: number;
  /** Where the profile speaks in tool calls, the moves are given as tools too; a reply may be either. */
  readonly native: boolean;
  /** Malformed replies to this very turn: all are shown with what was wrong, so that no request is made twice. */
  readonly rejected: readonly Rejected[];
}

/** The request for a model-backed role. */
export function renderRole(given: RoleDossier, { prompts, chars, native, rejected }: RenderOptions): ChatRequest {
  const messages = promptOf(given, prompts, chars);
  for (const { reply, error } of rejected) {
    const said = splitReasoning(reply.content ?? '').said.trim() || '(empty reply)';
    messages.push({ role: 'assistant', content: preview(said, 4_000) }, { role: 'user', content: error.observation });
  }
  return native ? { messages, tools: toolsOf(MOVES[given.role]) } : { messages };
}

/** A model's reply as a move of the role. Never throws. */
export function readRole(role: SetupRole, reply: RawReply): ReadMove<Record<string, unknown>> {
  return readMove(MOVES[role] as unknown as Moves, reply) as ReadMove<Record<string, unknown>>;
}

function promptOf(given: RoleDossier, prompts: RolePrompts, chars: number): ChatMessage[] {
  switch (given.role) {
    case 'agent':
      return setupPrompt(prompts, given.dossier, chars);
    case 'verifier':
      return verifierPrompt(prompts, given.dossier, given.seen, chars);
    case 'prosecutor':
      return prosecutorPrompt(prompts, given.dossier, given.seen, chars);
    case 'judge':
      return judgePrompt(prompts, given.dossier, given.seen, chars);
  }
}
