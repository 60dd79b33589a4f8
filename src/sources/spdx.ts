/** Names that projects write for a licence, as lower case without blanks around; values are SPDX identifiers. */
const NAMES: Readonly<Record<string, string>> = {
  mit: 'MIT',
  'mit license': 'MIT',
  'the mit license': 'MIT',
  'the mit license (mit)': 'MIT',
  'mit licence': 'MIT',
  expat: 'MIT',
  'expat license': 'MIT',
  apache: 'Apache-2.0',
  'apache 2': 'Apache-2.0',
  'apache 2.0': 'Apache-2.0',
  'apache-2': 'Apache-2.0',
  'apache-2.0': 'Apache-2.0',
  'apache license 2.0': 'Apache-2.0',
  'apache license, version 2.0': 'Apache-2.0',
  'apache license version 2.0': 'Apache-2.0',
  'apache software license 2.0': 'Apache-2.0',
  'bsd-2-clause': 'BSD-2-Clause',
  'bsd 2-clause': 'BSD-2-Clause',
  'simplified bsd': 'BSD-2-Clause',
  'bsd-3-clause': 'BSD-3-Clause',
  'bsd 3-clause': 'BSD-3-Clause',
  'bsd 3-clause license': 'BSD-3-Clause',
  '3-clause bsd': 'BSD-3-Clause',
  'new bsd': 'BSD-3-Clause',
  'modified bsd': 'BSD-3-Clause',
  '0bsd': '0BSD',
  isc: 'ISC',
  'isc license': 'ISC',
  'isc license (iscl)': 'ISC',
  'mpl 2.0': 'MPL-2.0',
  'mpl-2.0': 'MPL-2.0',
  'mozilla public license 2.0': 'MPL-2.0',
  'mozilla public license 2.0 (mpl 2.0)': 'MPL-2.0',
  unlicense: 'Unlicense',
  'the unlicense': 'Unlicense',
  'the unlicense (unlicense)': 'Unlicense',
  zlib: 'Zlib',
  'cc0-1.0': 'CC0-1.0',
  'bsl-1.0': 'BSL-1.0',
  psf: 'PSF-2.0',
  psfl: 'PSF-2.0',
  'psf-2.0': 'PSF-2.0',
  'python software foundation license': 'PSF-2.0',
};

const FAMILY: Readonly<Record<string, string>> = { affero: 'AGPL', lesser: 'LGPL', library: 'LGPL', '': 'GPL' };

/**
 * One licence by the name that a project gives it, as an SPDX identifier; null for names that several licences have
 * (`BSD`) or that we do not know. GNU licences without a version are such names.
 */
export function spdxOfName(name: string): string | null {
  const plain = name.trim().toLowerCase().replace(/\s+/g, ' ');
  return NAMES[plain] ?? gnu(plain);
}

/** `GPLv3+`, `LGPL-2.1-or-later`, `GNU Affero General Public License v3 or later (AGPLv3+)`, `GPL-2`. */
function gnu(plain: string): string | null {
  const short = /^(?:gnu )?(a|l)?gpl[- ]?(?:version )?v?(\d)(?:\.(\d))?(\+|-or-later| or later|-only| only)?$/.exec(
    plain,
  );
  const long =
    /^(?:the )?gnu (affero |lesser |library )?(?:or lesser )?general public license,? (?:version |v)(\d)(?:\.(\d))?( or later|\+| only)?(?: \([al]?gplv\d\+?\))?$/.exec(
      plain,
    );
  const found = short ?? long;
  if (!found) return null;
  const [, which = '', major, minor = '0', later = ''] = found;
  const family = short ? `${which.toUpperCase()}GPL` : FAMILY[which.trim()]!;
  return `${family}-${major}.${minor}-${/\+|later/.test(later) ? 'or-later' : 'only'}`;
}

/** An expression that is SPDX already, with the operators in capitals and Cargo's old `/` as OR; null for other text. */
function spdxExpression(text: string): string | null {
  const words = text.replaceAll('/', ' OR ').replace(/[()]/g, ' $& ').trim().split(/\s+/);
  const upper = words.map((word) => (/^(and|or|with)$/i.test(word) ? word.toUpperCase() : word));
  const shape = upper.map((word) => (/^(AND|OR|WITH)$/.test(word) ? 'o' : /^[()]$/.test(word) ? word : 'i')).join('');
  if (!balanced(shape) || !upper.every((word) => /^([()]|AND|OR|WITH)$/.test(word) || isIdentifier(word))) return null;
  return upper.map(canonical).join(' ').replaceAll('( ', '(').replaceAll(' )', ')');
}

/** Grammar of an expression by its shape: `i` identifier, `o` operator. */
function balanced(shape: string): boolean {
  let left = shape;
  for (let before = ''; before !== left; ) {
    before = left;
    left = left.replace('(i)', 'i').replace(/ioi/, 'i');
  }
  return left === 'i';
}

/** An identifier has a version or is one of the few short names; a sentence is not made of such words. */
function isIdentifier(word: string): boolean {
  return (
    spdxOfName(word) !== null || /^(LicenseRef-|DocumentRef-)?[A-Za-z][\w.+]*-[\w.+-]+$/.test(word) || KNOWN.has(word)
  );
}

const KNOWN = new Set([
  'Artistic-2.0',
  'Beerware',
  'curl',
  'HPND',
  'JSON',
  'NCSA',
  'OpenSSL',
  'PHP-3.01',
  'Vim',
  'WTFPL',
  'X11',
]);

function canonical(word: string): string {
  return /^([()]|AND|OR|WITH)$/.test(word) ? word : (spdxOfName(word) ?? word);
}

/** What a field for a licence holds: an expression, or one name. */
export function spdxOf(text: string | undefined): string | null {
  if (text === undefined || text.trim() === '' || text.length > 200) return null;
  return spdxOfName(text) ?? spdxExpression(text);
}
