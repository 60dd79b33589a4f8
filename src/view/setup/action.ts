import { SetupAction } from '../../contract';
import { ink } from '../ink';
import { safeLine } from '../safe-text';
import type { Look } from '../shown-run';
import { commandLines, labelled } from './output';

/** What the set-up agent did, as one would say it. */
export function setupActionLines(move: Readonly<Record<string, unknown>>, look: Look): string[] {
  const paint = ink(look.coloured);
  const read = SetupAction.safeParse(move);
  if (!read.success) return commandLines(JSON.stringify(move), look);
  const action = read.data;
  const strong = (lines: readonly string[]) => lines.map(paint.strong);
  switch (action.action) {
    case 'shell':
      return commandLines(action.command, look);
    case 'try_experience':
      return [
        ...strong(labelled('✦ try', action.unit, look)),
        ...(action.why === '' ? [] : labelled('why', action.why, look)),
        ...(action.command === undefined ? [] : commandLines(action.command, look)),
      ];
    case 'set_env':
      return commandLines(`export ${action.key}=${action.value}`, look);
    case 'rollback':
      return strong([`↶ roll back ${action.frames === 1 ? 'one frame' : `${action.frames} frames`}`]);
    case 'start_service': {
      const { name, kind, port, image, start } = action.service;
      const where = [kind, ...(image ? [image] : []), ...(port ? [`port ${port}`] : [])].join(', ');
      return [
        ...strong(labelled('▸ start', `${name} (${where})`, look)),
        ...(start === undefined ? [] : commandLines(start, look)),
      ];
    }
    case 'verify':
      return strong(action.hint ? labelled('▸ verify', action.hint, look) : ['▸ verify']);
    case 'finish':
      return strong(
        labelled(action.success ? '⇒ finish' : '⇒ give up', safeLine(action.message) || 'no word about it', look),
      );
    default:
      return action satisfies never;
  }
}
