import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RegistrySource } from '../contract';

/**
 * What a fetching script has to know of this host's configuration: no registry is written down here, each ecosystem's own
 * tool is asked, because it knows its default and what its user set instead. Empty where the host has no such tool: the
 * script then asks the tool of Debian. Addresses with credentials are left out, since a container may not know them.
 */
export async function registrySettings(source: RegistrySource): Promise<Record<string, string>> {
  switch (source.kind) {
    case 'npm':
      return kept({ POINTSMAN_REGISTRY: await npmRegistry(source.name) });
    case 'go': {
      const [proxy, database, off] = (await ask('go', ['env', 'GOPROXY', 'GOSUMDB', 'GONOSUMDB'])).split('\n');
      const { GOPROXY, GOSUMDB, GONOSUMDB } = process.env;
      return kept({ GOPROXY: GOPROXY || proxy, GOSUMDB: GOSUMDB || database, GONOSUMDB: GONOSUMDB || off });
    }
    case 'crate':
      return kept({ POINTSMAN_REGISTRY: process.env.CARGO_REGISTRIES_CRATES_IO_INDEX || (await cargoIndex()) });
    default:
      return {};
  }
}

/** A scope may have a registry of its own. */
async function npmRegistry(name: string): Promise<string> {
  const scope = /^@[^/]+/.exec(name)?.[0];
  const own = scope ? await ask('npm', ['config', 'get', `${scope}:registry`]) : 'undefined';
  return own !== 'undefined' && own !== '' ? own : ask('npm', ['config', 'get', 'registry']);
}

/**
 * Cargo tells no setting of its index, but it names the address that it cannot reach: it is made to want a crate with a
 * proxy where nobody listens. That follows source replacement and everything else that is configured.
 */
async function cargoIndex(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pointsman-cargo-'));
  try {
    await writeFile(join(folder, 'lib.rs'), '');
    await writeFile(
      join(folder, 'Cargo.toml'),
      '[package]\nname = "asking"\nversion = "0.0.0"\n[lib]\npath = "lib.rs"\n[dependencies]\nlibc = "*"\n[workspace]\n',
    );
    // A home of its own: with what is downloaded already cargo might not ask.
    const home = process.env.CARGO_HOME ?? join(homedir(), '.cargo');
    for (const name of ['config.toml', 'config']) await symlink(join(home, name), join(folder, name));
    const said = await ask('cargo', ['fetch'], {
      cwd: folder,
      failing: true,
      env: { CARGO_HOME: folder, CARGO_HTTP_PROXY: 'http://127.0.0.1:9', CARGO_NET_RETRY: '0' },
    });
    return /`(https?:\/\/[^`]*)\/config\.json`/.exec(said)?.[1] ?? '';
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the program answers; nothing where there is no such program. With `failing` its complaint is the answer. */
function ask(
  program: string,
  args: readonly string[],
  {
    cwd = homedir(),
    env = {},
    failing = false,
  }: { cwd?: string; env?: Record<string, string>; failing?: boolean } = {},
): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...env }, timeout: 60_000 };
    execFile(program, [...args], options, (error, stdout, stderr) =>
      resolve((failing ? stderr : error ? '' : stdout).trim()),
    );
  });
}

function kept(settings: Record<string, string | undefined>): Record<string, string> {
  const safe = Object.entries(settings).filter(([, value]) => value && !/\/\/[^/\s]*@/.test(value));
  return Object.fromEntries(safe) as Record<string, string>;
}
