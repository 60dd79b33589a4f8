import { existsSync } from 'node:fs';

const PROXY = ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];
const REGISTRY = [
  'PIP_INDEX_URL',
  'PIP_EXTRA_INDEX_URL',
  'NPM_CONFIG_REGISTRY',
  'GOPROXY',
  'GOSUMDB',
  'GONOSUMDB',
  'CARGO_REGISTRIES_CRATES_IO_INDEX',
];
/** Variables that name a CA bundle, by the tool that reads each. */
const BUNDLE = [
  'SSL_CERT_FILE',
  'PIP_CERT',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'NODE_EXTRA_CA_CERTS',
  'GIT_SSL_CAINFO',
  'CARGO_HTTP_CAINFO',
];
/** Where a sandbox has the host's bundle. */
export const BUNDLE_MOUNTED = '/etc/ssl/pointsman-host-ca.crt';
/** Where a Dockerfile of ours looks for a CA bundle, beside itself and in the image that is built. */
export const BUNDLE_FILE = 'ca.crt';
export const BUNDLE_INSIDE = `/usr/local/share/${BUNDLE_FILE}`;

/** Variables that a host may lend, without those of proxies, which engines know. */
export const LENT: readonly string[] = [...REGISTRY, ...BUNDLE];

/**
 * What a host behind a firewall needs to reach registries, for a container on the same host: its proxy variables, and
 * its CA bundle mounted read-only under a name of ours with every variable that tools look at. Credentials that a proxy
 * or registry address holds are not passed on: what a container knows, a model can read.
 */
export function hostAccess(): {
  env: Record<string, string>;
  binds: string[];
  bundle?: { file: string; inside: string };
} {
  const env: Record<string, string> = {};
  for (const name of [...PROXY, ...REGISTRY]) {
    const value = process.env[name];
    if (value && !/\/\/[^/\s]*@/.test(value)) env[name] = value;
  }
  const bundle = BUNDLE.map((name) => process.env[name]).find((path) => path && existsSync(path));
  // A remote engine cannot mount a file of this host.
  const remote = /^(tcp|ssh|https?):/.test(process.env.DOCKER_HOST ?? '');
  if (!bundle || remote) return { env, binds: [] };
  for (const name of BUNDLE) env[name] = BUNDLE_MOUNTED;
  return { env, binds: [`${bundle}:${BUNDLE_MOUNTED}:ro`], bundle: { file: bundle, inside: BUNDLE_MOUNTED } };
}

/** Ports of the addresses that name none. */
const PORTS: Readonly<Record<string, string>> = { http: '80', https: '443', socks5: '1080', socks5h: '1080' };

/** Where what is lent leads, as `HOST:PORT`: proxies and registries, which may be at an address of the host's own network. */
export function lentPlaces(): string[] {
  const values = Object.entries(hostAccess().env).filter(
    ([name]) => ![...BUNDLE, 'no_proxy', 'NO_PROXY', 'GONOSUMDB'].includes(name),
  );
  const named = values.flatMap(([name, value]) =>
    // A proxy may be named without its scheme.
    [...(/proxy$/i.test(name) && !value.includes('://') ? `http://${value}` : value).matchAll(PLACE)].map(
      ([, scheme, host, port]) => `${host}:${port ?? PORTS[scheme!.toLowerCase()]}`,
    ),
  );
  return [...new Set(named)];
}

/** Addresses in the forms of all these variables: alone, in lists, behind `sparse+`. */
const PLACE = /(https?|socks5h?):\/\/(\[[0-9a-f:.]+\]|[^\s:/,|[\]]+)(?::(\d+))?/gi;
