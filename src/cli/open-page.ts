import { spawn } from 'node:child_process';

const OPENERS: Readonly<Record<string, readonly string[]>> = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] };

/** Shows a file or an address in the person's browser. Where there is none nothing happens: its path was printed. */
export function openPage(target: string): void {
  const [command = '', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  spawn(command, [...args, target], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
