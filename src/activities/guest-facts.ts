import type { GuestFacts, Lease } from '../contract';
import { parseExports } from '../sandbox/shell-state';
import type { Deps } from './deps';

const TOOLS = 'python3 python apt-get apk dnf npm yarn pnpm conda';

/** What commands of experience are rendered for: the tools of a container, and what its shell has set. Reads only. */
export async function guestFacts(sandboxes: Deps['sandboxes'], lease: Lease): Promise<GuestFacts> {
  const sandbox = sandboxes.at(lease.container);
  const state = await sandbox.journal((journal) => journal.state());
  const env = parseExports(state.env);
  const { stdout } = await sandbox.exec({
    command: `for tool in ${TOOLS}; do printf "%s\\t%s\\n" "$tool" "$(command -v "$tool")"; done`,
    env,
    timeoutMs: 20_000,
  });
  const found = new Map(
    stdout
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('\t') as [string, string]),
  );
  const has = (tool: string) => (found.get(tool) ?? '') !== '';
  const settings = env.DJANGO_SETTINGS_MODULE;
  return {
    python: found.get('python3') || found.get('python') || null,
    venv: env.VIRTUAL_ENV ?? null,
    packageManager: has('apt-get') ? 'apt' : has('apk') ? 'apk' : has('dnf') ? 'dnf' : null,
    node: has('npm') ? 'npm' : has('pnpm') ? 'pnpm' : has('yarn') ? 'yarn' : null,
    conda: has('conda'),
    workdir: lease.workdir,
    ...(settings ? { django: { settings } } : {}),
  };
}
