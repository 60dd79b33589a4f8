import { listArgument } from './arguments';
import { quoted } from './quoting';

/** Installs Ruby gems by name. */
export function gemInstall(args: Readonly<Record<string, unknown>>): string[] {
  return [['gem', 'install', '--no-document', ...listArgument(args, 'packages', 'gems')].map(quoted).join(' ')];
}
