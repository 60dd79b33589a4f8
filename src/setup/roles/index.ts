import type {
  ChatRequest,
  DialectName,
  FormatError,
  JudgeMove,
  ProsecutorMove,
  RawReply,
  Rejected,
  SetupRole,
  VerifierMove,
} from '../../contract';
import { playbook } from '../playbook/playbook';
import { judge } from './judge';
import { prosecutor } from './prosecutor';
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

export function renderRole(
  _given: RoleDossier,
  _how: { chars: number; dialect: DialectName; rejected: readonly Rejected[] },
): ChatRequest {
  throw new Error('soon');
}
export function readMove(
  _role: SetupRole,
  _reply: RawReply,
): { ok: true; move: Record<string, unknown> } | { ok: false; error: FormatError } {
  throw new Error('soon');
}
