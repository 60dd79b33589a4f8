import type { ServiceSpec } from '../../../contract';
import { quote } from '../../../rollout/shell';
import { completeService, knownName } from '../../loop/services';
import type { Observed } from '../role';

/** Whether a command was not run, because a service that was to be there first did not start. */
export function neverBegan({ exitCode, output }: Observed): boolean {
  return exitCode === 125 && /^the service \S+ did not start: /.test(output);
}

/** What a server says when it is greeted in its own protocol: an open port alone may be anybody's. */
interface Greeting {
  readonly port: number;
  /** As printf writes it; empty where the server speaks first. */
  readonly say: string;
  /** Bytes of the answer that are read. */
  readonly bytes: number;
  readonly answer: string;
}

const GREETINGS: Readonly<Record<string, Greeting>> = {
  redis: { port: 6379, say: 'PING\\r\\n', bytes: 1, answer: '^[-+]' },
  memcached: { port: 11211, say: 'version\\r\\n', bytes: 7, answer: '^VERSION' },
  // A request for encryption, which every server answers with one letter.
  postgres: { port: 5432, say: '\\0\\0\\0\\010\\004\\322\\026\\057', bytes: 1, answer: '^[SN]' },
  mysql: { port: 3306, say: '', bytes: 24, answer: '[0-9]' },
};

/**
 * A command that ends with 0 when the service answers, asked from where the repository's own code runs: a sibling by its
 * name over the network of the run, a process on this very machine. Of what was asked for by its name alone we know the
 * rest.
 */
export function probeOf(spec: ServiceSpec): string {
  const { name, kind, port, health } = completeService(spec);
  const host = kind === 'container' ? name : '127.0.0.1';
  const greeting = GREETINGS[knownName(name)];
  const at = port ?? greeting?.port;
  if (at === undefined) return kind === 'container' ? resolves(name) : (health ?? 'true');
  const failed = `{ echo 'the service ${name} does not answer at ${host}:${at}'; false; }`;
  const open = `exec 3<>/dev/tcp/${host}/${at}`;
  if (!greeting) return `timeout 10 bash -c ${quote(open)} 2> /dev/null || ${failed}`;
  const talk = `${open} && printf '${greeting.say}' >&3 && head -c ${greeting.bytes} <&3 | tr '\\0' ' '`;
  return `timeout 10 bash -c ${quote(talk)} 2> /dev/null | grep -aqE '${greeting.answer}' || ${failed}`;
}

/** The engine knows names of those siblings only that run. More cannot be asked from here: its health is asked inside of it. */
function resolves(name: string): string {
  return `getent hosts ${quote(name)} > /dev/null || { echo 'the service ${name} is not there'; false; }`;
}
