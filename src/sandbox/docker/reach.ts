import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type Docker from 'dockerode';
import { PointsmanError } from '../../contract/errors';
import { BASE_IMAGE } from '../../contract/sandbox';
import { guestProgram } from '../guest';
import { lentPlaces } from '../host-access';
import { LABEL } from '../labels';
import { runOnce } from './once';

/**
 * What is no part of the internet (IANA's special-purpose registries): other hosts of ours, clouds' own services, neighbours.
 * The last is a cloud's, on an address that looks public. Examples for documentation lead nowhere, and are left.
 */
const PRIVATE_4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
];
const PRIVATE = {
  4: PRIVATE_4,
  6: [
    ...['::/96', '::ffff:0:0/96', '64:ff9b:1::/48', '2002::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
    // The same through a translator (RFC 6052), whose prefix is a network's only way to the internet of version 4.
    ...PRIVATE_4.map((network) =>
      network.replace(/^(.*)\/(\d+)$/, (_, at, bits) => `64:ff9b::${at}/${96 + Number(bits)}`),
    ),
  ],
} as const;

/** An address or network, and the TCP port of it where only one is meant. */
interface Place {
  readonly to: string;
  readonly port?: number | undefined;
}

interface EngineHost {
  /** Every address of the engine's host, the gateways of its bridges among them. */
  readonly host: readonly string[];
  /** Whom the engine asks for names, from within the sandbox's network: these answer on port 53. */
  readonly nameservers: readonly string[];
}

/** What the rules of a sandbox's network are made from. */
export interface Surroundings extends EngineHost {
  /** A network opens what is in it but for the host, which has to be named itself. */
  readonly opened: readonly Place[];
  /** Networks of the run, where its services are. */
  readonly within: readonly string[];
}

const KNOWN_MS = 60_000;
/** Of RFC 4861: router solicitation, neighbour solicitation and advertisement, which never leave the link. */
const NEIGHBOURS = [133, 135, 136];

/**
 * How far a sandbox with a network reaches: the internet, what the host lends, what the operator opens by name, and no
 * service of the host, no metadata address, no private range. The rules are filters of the sandbox's own network namespace,
 * set from a short container that joins it, so the host's firewall stays as it is, and the sandbox, which lacks the power
 * over its network, cannot change them. Filters and not routes: a socket that is bound to an interface passes routes by.
 */
export class Reach {
  private known: { readonly at: number; readonly found: Promise<EngineHost> } | undefined;

  constructor(
    private readonly docker: Docker,
    /** Hosts, `HOST:PORT`s and networks. */
    private readonly opened: readonly string[] = [],
  ) {}

  /**
   * Limits a container that runs, or does once `started` is done, and is not connected yet to what it is kept from. `within`
   * are networks of its run, where its services are. Idempotent: the rules are replaced. Throws `Unavailable` where they
   * cannot be set.
   */
  async limit(
    container: string,
    labels: Record<string, string>,
    { within = [], started }: { readonly within?: readonly string[]; readonly started?: Promise<unknown> } = {},
  ): Promise<void> {
    const [host, opened] = await Promise.all([this.engineHost(), placesOf([...lentPlaces(), ...this.opened])]);
    const around = { ...host, opened, within };
    const said = await runOnce(this.docker, {
      image: BASE_IMAGE,
      command: ['bash', '-c', guestProgram('limit-reach.sh'), 'bash', rules(4, around), rules(6, around)],
      labels: { ...labels, [LABEL.role]: 'reach' },
      host: { NetworkMode: `container:${container}`, CapAdd: ['NET_ADMIN', 'NET_RAW'] },
      ...(started && { after: started }),
    }).catch(withoutBase);
    if (said.endsWith('limited')) return;
    throw new PointsmanError(
      'Unavailable',
      `a sandbox cannot be kept from this host's network: ${said.slice(-400)}`,
      `It needs iptables in ${BASE_IMAGE} and in the kernel (nf_tables or ip_tables, with REJECT).`,
    );
  }

  /** Kept for a minute: hosts change their addresses and name servers seldom. */
  private engineHost(): Promise<EngineHost> {
    if (!this.known || performance.now() - this.known.at > KNOWN_MS) {
      const found = this.look();
      this.known = { at: performance.now(), found };
      found.catch(() => {
        this.known = undefined;
      });
    }
    return this.known.found;
  }

  private async look(): Promise<EngineHost> {
    const ask = (host: Docker.HostConfig, ...files: string[]) =>
      runOnce(this.docker, {
        image: BASE_IMAGE,
        command: ['cat', ...files],
        labels: { [LABEL.managed]: '1', [LABEL.role]: 'reach' },
        host,
      });
    const local = ['/proc/net/fib_trie', '/proc/net/if_inet6', '/etc/resolv.conf'];
    const [host, bridge] = await Promise.all([
      ask({ NetworkMode: 'host', UsernsMode: 'host' }, ...local).catch(withoutBase),
      // The engine shows a container of its own bridge whom it asks itself. Some engines have no such bridge.
      ask({ NetworkMode: 'bridge' }, '/etc/resolv.conf').catch(() => ''),
    ]);
    return { host: addressesIn(host), nameservers: [...new Set(nameserversIn(`${host}\n${bridge}`))] };
  }
}

function withoutBase(error: unknown): never {
  if ((error as { statusCode?: number }).statusCode !== 404) throw error;
  throw new PointsmanError(
    'NotFound',
    `the image ${BASE_IMAGE} is not on this host: without it a sandbox cannot be kept from the host's network`,
    'Run `pointsman doctor`; `pointsman up` makes it.',
  );
}

/** What `iptables-restore` reads: the first rule that fits a packet decides. */
export function rules(family: 4 | 6, { host, nameservers, opened, within }: Surroundings): string {
  const ofFamily = (to: string) => isIP(to.replace(/\/.*/, '')) === family;
  const accept = ({ to, port }: Place) => `-A OUTPUT -d ${to}${port ? ` -p tcp --dport ${port}` : ''} -j ACCEPT`;
  const how = family === 4 ? 'icmp-admin-prohibited' : 'icmp6-adm-prohibited';
  const reject = (to: string) => `-A OUTPUT -d ${to} -j REJECT --reject-with ${how}`;
  const asked = nameservers.filter(ofFamily);
  const places = opened.filter(({ to }) => ofFamily(to));
  const isNetwork = ({ to }: Place) => to.includes('/');
  return [
    '*filter',
    ...['INPUT', 'FORWARD', 'OUTPUT'].map((chain) => `:${chain} ACCEPT [0:0]`),
    '-A OUTPUT -o lo -j ACCEPT',
    // Version 6 asks by multicast who has an address and which way leads out: without an answer nothing is reached at all.
    ...(family === 6 ? NEIGHBOURS.map((type) => `-A OUTPUT -p icmpv6 --icmpv6-type ${type} -j ACCEPT`) : []),
    ...asked.flatMap((to) => [`-A OUTPUT -d ${to} -p udp --dport 53 -j ACCEPT`, accept({ to, port: 53 })]),
    ...places.filter((place) => !isNetwork(place)).map(accept),
    ...host.filter(ofFamily).map(reject),
    ...places.filter(isNetwork).map(accept),
    ...within.filter(ofFamily).map((to) => accept({ to })),
    ...PRIVATE[family].map(reject),
    'COMMIT',
    '',
  ].join('\n');
}

/** Local addresses in `fib_trie`, where each stands above what it is, and in `if_inet6`, 32 hex digits at the start of a line. */
export function addressesIn(text: string): string[] {
  const found = new Set<string>();
  let last = '';
  for (const line of text.split('\n')) {
    last = /\|-- ([\d.]+)$/.exec(line)?.[1] ?? last;
    if (line.includes('host LOCAL')) found.add(last);
    const six = /^([0-9a-f]{32}) /.exec(line)?.[1];
    if (six) found.add(six.match(/.{4}/g)!.join(':'));
  }
  return [...found].filter((address) => isIP(address) !== 0 && !address.startsWith('127.'));
}

function nameserversIn(text: string): string[] {
  return [...text.matchAll(/^nameserver[ \t]+([0-9a-fA-F.:]+)/gm)]
    .map(([, address]) => address!)
    .filter((address) => isIP(address) !== 0 && !/^127\.|^::1$/.test(address));
}

/** Names by all of their addresses; one that has none opens nothing. */
async function placesOf(texts: readonly string[]): Promise<Place[]> {
  const found = texts.map(async (text): Promise<Place[]> => {
    if (text.includes('/') || isIP(text) !== 0) return [{ to: text }];
    const [, host = '', port] = /^\[?([^\]]+?)\]?(?::(\d+))?$/.exec(text) ?? [];
    const addresses = isIP(host) === 0 ? await lookup(host, { all: true }).catch(() => []) : [{ address: host }];
    return addresses.map(({ address }) => ({ to: address, port: port ? Number(port) : undefined }));
  });
  return (await Promise.all(found)).flat();
}
