import type { SetupDossier } from '../../../src/setup/roles/role';
import { dossierOf, failed, OK, simulate, textOf } from './simulated';

/** What the playbook does first when the goal fails with this text. */
export function remedyFor(
  files: Readonly<Record<string, string>>,
  goal: string,
  text: string,
  more: Partial<SetupDossier> = {},
): string {
  const steps = simulate(dossierOf(files, { version: '1.4.0', ...more }), (action) =>
    action.thought.startsWith(`[goal ${goal}`) ? failed(text) : OK,
  ).seen;
  const at = steps.findIndex(({ move }) => move.thought.startsWith(`[goal ${goal}`));
  const next = steps[at + 1];
  if (!next) return 'finish';
  return next.move.action === 'start_service' ? `start ${next.move.service.name}` : textOf(next.move);
}
