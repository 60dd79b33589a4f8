import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings, trustConfig } from '../src/config';

const scratch = mkdtempSync(join(tmpdir(), 'pointsman-config-'));
const [home, folder, other] = ['home', 'folder', 'other'].map((name) => join(scratch, name)) as [
  string,
  string,
  string,
];
const start = process.cwd();
beforeAll(() => {
  for (const each of [home, folder, other]) mkdirSync(each);
  process.env.POINTSMAN_HOME = home;
});
afterEach(() => process.chdir(start));
afterAll(() => {
  delete process.env.POINTSMAN_HOME;
  rmSync(scratch, { recursive: true });
});

const profile = (baseUrl: string, more = '') =>
  `profiles:\n  fast:\n    model: m\n    baseUrl: ${baseUrl}\n    apiKeyEnv: SOME_KEY\n${more}`;
const write = (text: string) => writeFileSync(join(folder, 'pointsman.yaml'), text);
const load = (env: NodeJS.ProcessEnv = {}) => loadSettings({ HOME: scratch, ...env });

test.each([
  'mirror.internal',
  'mirror.internal:8081',
  '10.1.0.0/16',
  '10.0.0.5:80',
  'fd00::7',
  'fd00::/8',
  '[fd00::7]:80',
])('sandboxes may reach %s where the configuration says so', (place) => {
  write(`sandboxes:\n  reach: ['${place}']\n`);
  const file = join(folder, 'pointsman.yaml');
  expect(load({ POINTSMAN_CONFIG: file }).config.sandboxes.reach).toEqual([place]);
});

test.each(['', '*', 'http://mirror.internal', '10.1.0.0/16:80', 'a b', '-j ACCEPT'])('"%s" is no place', (place) => {
  write(`sandboxes:\n  reach: ['${place}']\n`);
  const file = join(folder, 'pointsman.yaml');
  expect(() => load({ POINTSMAN_CONFIG: file })).toThrow(/sandboxes\.reach/);
});

test("what a folder's file opens on this machine has to be confirmed as well", () => {
  process.chdir(folder);
  write('sandboxes: { reach: [10.0.0.0/8] }\nservices: { images: [redis] }\nsources: { roots: [/srv] }\n');
  for (const said of ['sandboxes reach 10.0.0.0/8', 'the image redis', 'files below /srv']) expect(load).toThrow(said);
});

test('a file of the folder that one stands in sends nothing anywhere before somebody said that it may', () => {
  process.chdir(folder);
  write(profile('http://models.example/v1'));
  expect(load).toThrow('profile fast asks http://models.example/v1, with SOME_KEY');
  expect(trustConfig()).toEqual({
    file: join(folder, 'pointsman.yaml'),
    says: ['profile fast asks http://models.example/v1, with SOME_KEY'],
  });
  expect(load().config.profiles.fast?.model).toBe('m');

  // What does not reach further needs no second look; what does, does.
  write(profile('http://models.example/v1', '    maxOutputTokens: 100\n'));
  expect(load().config.profiles.fast?.maxOutputTokens).toBe(100);
  write(profile('http://evil.example/v1'));
  expect(load).toThrow('was not used before');
  write(profile('http://models.example/v1', '    view: {prompts: /etc}\n'));
  expect(load).toThrow('profile fast takes prompts from /etc');
});

test('the same file in another folder is another one', () => {
  process.chdir(other);
  writeFileSync(join(other, 'pointsman.yaml'), profile('http://models.example/v1'));
  expect(load).toThrow('was not used before');
});

test("what was named on purpose, and what lies in the home, is the operator's", () => {
  process.chdir(folder);
  write(profile('http://evil.example/v1'));
  expect(load({ POINTSMAN_CONFIG: join(folder, 'pointsman.yaml') }).config.profiles.fast?.model).toBe('m');
  rmSync(join(folder, 'pointsman.yaml'));
  writeFileSync(join(home, 'pointsman.yaml'), profile('http://models.example/v2'));
  expect(load().file).toBe(join(home, 'pointsman.yaml'));
});

test('a file that only limits is used as it is', () => {
  process.chdir(folder);
  write('worker: {sandboxes: 2}\n');
  expect(load().config.worker.sandboxes).toBe(2);
});

describe('a profile of a person', () => {
  beforeEach(() => process.chdir(folder));

  it('needs no model and no address, and costs nothing', () => {
    write('profiles:\n  ann:\n    provider: person\n');
    expect(load().config.profiles.ann).toMatchObject({ model: 'person', price: { input: 0, output: 0 } });
    // Nothing is sent anywhere: there is nothing to trust.
    expect(trustConfig().says).toEqual([]);
  });

  it.each(['baseUrl: http://models.example/v1', 'model: m', 'apiKeyEnv: KEY', 'requestsPerSecond: 2'])(
    'has no %s',
    (field) => {
      write(`profiles:\n  ann:\n    provider: person\n    ${field}\n`);
      expect(load).toThrow(`profiles.ann.${field.split(':')[0]}: a person has none`);
    },
  );

  it('is the only one without a model', () => {
    write('profiles:\n  fast:\n    baseUrl: http://models.example/v1\n');
    expect(load).toThrow('profiles.fast.model: the model to ask for is needed');
  });
});
