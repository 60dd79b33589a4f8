import { Config, sessionOf } from '../src/config';
import { Endpoint, parseInput } from '../src/contract';
import { requestHash } from '../src/model';

const config = parseInput(
  Config,
  {
    profiles: {
      own: { model: 'm', baseUrl: 'http://10.0.0.1/v1', apiKeyEnv: 'OWN' },
      known: { model: 'm', baseUrl: 'https://gw.example/train/v1', apiKeyEnv: 'OWN' },
      far: { model: 'm', apiKeyEnv: 'OWN' },
      ann: { provider: 'person' },
    },
    endpoints: [
      { baseUrl: 'https://gw.example/train', keys: ['TRAIN'] },
      { baseUrl: 'http://127.0.0.1/', anyPort: true },
    ],
  },
  'config',
);
const session = (name: string, endpoint: object) => sessionOf(config, name, parseInput(Endpoint, endpoint, 'endpoint'));

test.each([
  'https://gw.example/train',
  'https://gw.example/train/',
  'https://gw.example:443/train/s/1/v1',
  'https://GW.example/other/../train/s',
  'http://127.0.0.1:1234/v1',
  'http://127.0.0.1',
])('an address that the configuration allows: %s', (baseUrl) => {
  const { profile } = session('own', { baseUrl });
  expect(profile).toMatchObject({ baseUrl, model: 'm' });
  // The profile's own key is not for it.
  expect(profile.apiKeyEnv).toBeUndefined();
});

test.each([
  'https://gw.example/',
  'https://gw.example/trainer',
  'https://gw.example/train/../x',
  'https://gw.example/train/%2e%2e/x',
  'https://gw.example/train/%2E%2e%2fx',
  'https://gw.example/train/..%5cx',
  'https://gw.example:444/train',
  'http://gw.example/train',
  'https://gw.example.evil.example/train',
  'https://127.0.0.1:1234/v1',
  'http://127.0.0.1.evil.example/v1',
  'http://localhost/v1',
  'http://[::1]/v1',
])('one that it does not: %s', (baseUrl) => {
  expect(() => session('own', { baseUrl })).toThrow('no address that rollouts may name');
});

test.each([
  ['user and password', { baseUrl: 'https://a:b@gw.example/train' }],
  ['a query', { baseUrl: 'https://gw.example/train?key=1' }],
  ['another scheme', { baseUrl: 'file:///etc/passwd' }],
  ['a key in a header', { headers: { Cookie: 'x' } }],
  ['a line break in a header', { headers: { 'X-A': 'b\r\nAuthorization: c' } }],
  ['variable and token', { apiKeyEnv: 'TRAIN', token: 'a'.repeat(64) }],
])('what no endpoint may be: %s', (_, endpoint) => {
  expect(() => session('own', endpoint)).toThrow('endpoint');
});

test('a variable goes where its entry says, and a profile keeps its key at its own address', () => {
  expect(session('own', { baseUrl: 'https://gw.example/train', apiKeyEnv: 'TRAIN' }).profile.apiKeyEnv).toBe('TRAIN');
  expect(() => session('own', { baseUrl: 'http://127.0.0.1:1', apiKeyEnv: 'TRAIN' })).toThrow(
    'TRAIN is not to be sent',
  );
  expect(() => session('own', { baseUrl: 'https://gw.example/train', apiKeyEnv: 'OWN' })).toThrow(
    'OWN is not to be sent',
  );
  expect(session('known', { headers: { 'X-S': '1' } }).profile.apiKeyEnv).toBe('OWN');
  expect(() => session('own', { headers: { 'X-S': '1' } })).toThrow('no address');
  expect(() => session('far', { headers: {} })).toThrow('baseUrl is needed');
  expect(() => session('ann', { baseUrl: 'http://127.0.0.1' })).toThrow('a person');
});

test('an answer of one gateway is none of another’s, and none of the profile’s', () => {
  const request = { messages: [{ role: 'user' as const, content: 'x' }] };
  const hash = (baseUrl: string, headers: Record<string, string>) => {
    const { profile, ...given } = session('own', { baseUrl, headers });
    return requestHash(profile, request, given);
  };
  const all = [
    requestHash(config.profiles.own!, request),
    hash('http://127.0.0.1/a', {}),
    hash('http://127.0.0.1/b', {}),
    hash('http://127.0.0.1/b', { 'X-Model': '2' }),
  ];
  expect(new Set(all).size).toBe(4);
  expect(hash('http://127.0.0.1/b', {})).toBe(all[2]);
});
