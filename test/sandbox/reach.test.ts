import { isIP } from 'node:net';
import fc from 'fast-check';
import { addressesIn, rules } from '../../src/sandbox/docker/reach';
import { lentPlaces } from '../../src/sandbox/host-access';

const around = { host: [], nameservers: [], opened: [], within: [] };

/** What becomes of a packet to a TCP or UDP port: the first rule that fits decides, and without one it goes out. */
function fate(text: string, to: string, port: number, protocol = 'tcp'): string {
  for (const line of text.split('\n')) {
    const [, network = '', only, dport, verdict] =
      /^-A OUTPUT -d (\S+)(?: -p (\w+) --dport (\d+))? -j (\w+)/.exec(line) ?? [];
    if (!verdict || !isIn(to, network)) continue;
    if (only && (only !== protocol || Number(dport) !== port)) continue;
    return verdict;
  }
  return 'ACCEPT';
}

function isIn(address: string, network: string): boolean {
  const [base = '', bits = '32'] = network.split('/');
  const number = (text: string) => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(bits));
  return Math.floor(number(address) / size) === Math.floor(number(base) / size);
}

test.each([
  ...['10.0.0.1', '100.64.0.1', '100.100.100.200', '169.254.169.254', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['192.0.0.192', '168.63.129.16', '0.0.0.0', '224.0.0.1', '255.255.255.255', '198.18.0.1', '127.0.0.11'],
])('%s is shut', (to) => {
  expect(fate(rules(4, around), to, 80)).toBe('REJECT');
});

test.each(['9.9.9.9', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1', '192.169.0.1', '203.0.113.7'])(
  '%s is open',
  (to) => {
    expect(fate(rules(4, around), to, 80)).toBe('ACCEPT');
  },
);

test('an address of the host is shut wherever it is, and a network that holds it does not open it', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.integer({ min: 1, max: 65535 }), (host, port) => {
      const network = { to: `${host.split('.').slice(0, 3).join('.')}.0/24` };
      const text = rules(4, { ...around, host: [host], opened: [network], within: [network.to] });
      expect(fate(text, host, port)).toBe('REJECT');
      expect(fate(rules(4, { ...around, host: [host], opened: [{ to: host }] }), host, port)).toBe('ACCEPT');
    }),
  );
});

test('a name server answers on its port alone', () => {
  const text = rules(4, { ...around, host: ['10.0.0.2'], nameservers: ['10.0.0.2'] });
  expect(['tcp', 'udp'].map((protocol) => fate(text, '10.0.0.2', 53, protocol))).toEqual(['ACCEPT', 'ACCEPT']);
  expect(['tcp', 'udp'].map((protocol) => fate(text, '10.0.0.2', 80, protocol))).toEqual(['REJECT', 'REJECT']);
});

test('addresses of each family stand in the rules of that family', () => {
  const text = rules(6, {
    ...around,
    host: ['fd00::1', '10.0.0.2'],
    opened: [{ to: '10.0.0.0/8' }, { to: 'fd01::/64' }],
  });
  const named = [...text.matchAll(/-d (\S+)/g)].map(([, to]) => to!.split('/')[0]!);
  expect(named.map(isIP)).toEqual(named.map(() => 6));
  expect(named).toEqual(expect.arrayContaining(['fd00::1', 'fd01::', '64:ff9b::10.0.0.0']));
});

test('the addresses of a host are read as the kernel writes them', () => {
  const trie = `Local:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 127.0.0.0/8 2 0 2
        |-- 127.0.0.1
           /32 host LOCAL
     +-- 172.17.0.0/16 2 0 2
        |-- 172.17.0.0
           /16 link UNICAST
        |-- 172.17.0.1
           /32 host LOCAL
        |-- 172.17.255.255
           /32 link BROADCAST
00000000000000000000000000000001 01 80 10 80       lo
fd000000000000000000000000000002 04 40 00 00     eth0`;
  expect(addressesIn(trie)).toEqual([
    '172.17.0.1',
    '0000:0000:0000:0000:0000:0000:0000:0001',
    'fd00:0000:0000:0000:0000:0000:0000:0002',
  ]);
});

test.each([
  ['HTTPS_PROXY', 'http://10.0.0.5:3128', ['10.0.0.5:3128']],
  ['http_proxy', 'proxy.internal:8080', ['proxy.internal:8080']],
  [
    'PIP_EXTRA_INDEX_URL',
    'https://a.internal/simple http://b.internal:8081/simple',
    ['a.internal:443', 'b.internal:8081'],
  ],
  ['GOPROXY', 'https://go.internal,direct', ['go.internal:443']],
  ['CARGO_REGISTRIES_CRATES_IO_INDEX', 'sparse+https://crates.internal/index/', ['crates.internal:443']],
  ['NPM_CONFIG_REGISTRY', 'http://[fd00::7]:4873/', ['[fd00::7]:4873']],
  ['NO_PROXY', '10.0.0.0/8,http://x.internal', []],
])('%s=%s opens what it names', (name, value, places) => {
  const before = process.env[name];
  const others = lentPlaces();
  process.env[name] = value;
  try {
    expect(lentPlaces().filter((place) => !others.includes(place))).toEqual(places);
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
});
