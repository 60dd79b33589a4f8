import type { Lease } from '../contract/sandbox';
import type { ServiceSpec } from '../contract/setup';
import { runInGuest } from './guest-exec';
import type { SandboxHost } from './host';
import { parseExports } from './shell-state';
import { isReady, type NotStarted, Siblings, type SiblingsRequest } from './siblings';
import { startServices } from './throwaway-services';

export interface ServicesRequest extends SiblingsRequest {
  readonly lease: Lease;
}

/** Services of a run: processes in its sandbox, and sibling containers on its network. All go with the run. */
export class Services {
  readonly siblings: Siblings;

  constructor(private readonly host: SandboxHost) {
    this.siblings = new Siblings(host);
  }

  /** Starts what is not up, siblings first. Idempotent. Names the first service that did not come up. */
  async start(
    request: ServicesRequest,
    signal: AbortSignal,
  ): Promise<{ started: string[]; failed: NotStarted | null }> {
    const { docker } = this.host;
    const { owner, lease, services } = request;
    const { started, failed: away } = await this.siblings.start(request, signal);
    if (away) return { started, failed: away };
    if (started.length > 0) await this.siblings.connect(owner, lease.container);
    const container = docker.getContainer(lease.container);
    const state = await this.host.journal(lease.container, (journal) => journal.state());
    const shell = { cwd: state.cwd || lease.workdir, env: withoutShellWords(parseExports(state.env)), prelude: '' };
    const own = services.filter(({ kind }) => kind === 'process');
    const down: ServiceSpec[] = [];
    // One that an attempt before this one started has its port: started again it could only fail.
    for (const spec of own) if (!(await isReady(container, spec, signal))) down.push(spec);
    const failed = await startServices(container, down, shell, signal);
    if (failed) return { started, failed };
    return { started: [...started, ...own.map(({ name }) => name)], failed: null };
  }

  /** Command lines of processes that commands left behind and that are no service: a rollback would end them silently. */
  async undeclared(lease: Lease): Promise<string[]> {
    const { stdout } = await runInGuest(this.host.docker.getContainer(lease.container), {
      command: UNDECLARED,
      timeoutMs: 20_000,
    });
    const lines = stdout
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    return [...new Set(lines)].slice(0, 20);
  }
}

/** Bookkeeping of the shell that reads the state back. */
function withoutShellWords(env: Record<string, string>): Record<string, string> {
  const { PWD: _pwd, OLDPWD: _old, SHLVL: _level, POINTSMAN_JOB: _job, ...rest } = env;
  return rest;
}

/** Commands of agents carry their job's name; services are started beside the journal and carry none. */
const UNDECLARED = `
for dir in /proc/[0-9]*; do
  job=
  while IFS= read -r -d '' entry; do [[ $entry == POINTSMAN_JOB=* ]] && job=$entry; done 2> /dev/null < "$dir/environ"
  [[ -n $job ]] || continue
  words=()
  while IFS= read -r -d '' word; do words+=("$word"); done 2> /dev/null < "$dir/cmdline"
  (( \${#words[@]} == 0 )) || printf '%.200s\\n' "\${words[*]}"
done
`;
