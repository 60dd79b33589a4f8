import type { Reader } from '../goal';

/** Modules that Python had until 3.11 and until 3.12. What a registry has under such a name is something else. */
const UNTIL_3_11 = 'imp|asyncore|asynchat|smtpd';
const UNTIL_3_12 = 'audioop|cgi|cgitb|chunk|crypt|imghdr|lib2to3|nntplib|pipes|sndhdr|spwd|sunau|telnetlib|uu|xdrlib';
export const GONE_MODULE = new RegExp(`^(?:${UNTIL_3_11}|${UNTIL_3_12})$`);

/** What Python took out of its library, by the condition on releases that still have it. */
const GONE: readonly (readonly [condition: string, said: RegExp])[] = [
  [
    '<3.10',
    /cannot import name '(?:Mapping|MutableMapping|Sequence|MutableSequence|Set|MutableSet|Iterable|Iterator|Callable|Hashable|Sized|Container)' from 'collections'|module 'collections' has no attribute '(?:[A-Z]\w+)'/g,
  ],
  [
    '<3.11',
    /module 'inspect' has no attribute '(?:getargspec|formatargspec)'|cannot import name '(?:getargspec|formatargspec)' from 'inspect'|module 'asyncio' has no attribute 'coroutine'|cannot import name 'coroutine' from 'asyncio'|invalid mode: 'r?Ub?'|mutable default <class '[^']+'> for field \w+ is not allowed/g,
  ],
  [
    '<3.12',
    new RegExp(
      `No module named '(?:${UNTIL_3_11})'|module 'pkgutil' has no attribute 'ImpImporter'|(?:module 'configparser' has no attribute|cannot import name) 'SafeConfigParser'`,
      'g',
    ),
  ],
  ['<3.13', new RegExp(`No module named '(?:${UNTIL_3_12})'|module 'locale' has no attribute 'resetlocale'`, 'g')],
];

/** Where the words of others are what fails, other versions of them help, and no older interpreter is needed. */
const OF_OTHERS = /\b(?:site|dist)-packages\//;

export const goneFromPython: readonly Reader[] = GONE.map(([condition, pattern]) => ({
  cause: 'python-gone',
  pattern,
  what: ({ input = '', index = 0 }) => {
    const place = [...input.slice(Math.max(0, index - 2000), index).matchAll(/\S+\.py\b/g)].at(-1)?.[0] ?? '';
    return OF_OTHERS.test(place) ? null : condition;
  },
}));
