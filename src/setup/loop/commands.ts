import type { SetupAction } from '../../contract';

/**
 * `set_env` as a shell command: the shell expands `$NAME` and `${NAME}` when it is set (an unset one to nothing), and
 * takes every other character as it is.
 */
export function setEnvCommand({ key, value }: Extract<SetupAction, { action: 'set_env' }>): string {
  const text = value.replace(/[\\"`]/g, '\\$&').replace(/\$(?!\{[A-Za-z_]\w*\}|[A-Za-z_])/g, '\\$');
  return `export ${key}="${text}" && printf '%s\\n' "${key}=$${key}"`;
}

/** A command as the sandbox runs it: a failure inside of a pipe is a failure. */
export function strict(command: string): string {
  return `set -o pipefail\n${command}`;
}

/** One line for lists and summaries: what the action does. */
export function lineOf(action: SetupAction): string {
  switch (action.action) {
    case 'shell':
      return oneLine(action.command);
    case 'try_experience':
      return `try ${action.unit}`;
    case 'set_env':
      return `set ${action.key}`;
    case 'rollback':
      return `roll back ${action.frames} frame${action.frames === 1 ? '' : 's'}`;
    case 'start_service':
      return `start ${action.service.name}`;
    case 'verify':
      return 'verify';
    case 'finish':
      return action.success ? 'finish' : `give up: ${oneLine(action.message)}`;
  }
}

export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
