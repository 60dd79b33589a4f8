import fc from 'fast-check';
import { type InlineTests, openInlineTests } from '../../src/grading/inline-tests';

const OLD = `//! A crate.
use std::fmt;

/// Adds.
pub fn add(a: i32, b: i32) -> i32 {
    a - b // '}' and "{"
}

/// Only for tests.
#[cfg(test)]
#[allow(dead_code)]
mod tests {
    use super::*;

    #[test]
    fn old() {}
}

pub mod deep {
    pub fn two() -> i32 { 2 }

    #[cfg(all(test, unix))]
    mod tests {}
}
`;
const NEW = `pub fn add(a: i32, b: i32) -> i32 { 0 }

#[cfg(test)]
use std::collections::BTreeMap;

#[cfg(test)]
mod tests {
    #[test]
    fn new() { assert_eq!(super::add(1, 2), 3, "}}{{ {}", '"'); }
}

mod deep {
    #[cfg(test)]
    mod tests {
        #[test]
        fn deeper() {}
    }
}
`;

let tests: InlineTests;
beforeAll(async () => {
  tests = await openInlineTests();
});

test.each([
  ['src/lib.rs', OLD, true],
  ['src/lib.rs', 'fn f() {}\n#[cfg(not(test))]\nmod real {}\n', false],
  ['src/lib.rs', 'fn f() {}\n#[cfg(any(test, feature = "x"))]\nmod shared {}\n', false],
  ['src/lib.rs', 'fn f() {}\n#[cfg(test)]\nmod tests;\n', true],
  ['tests/all.rs', OLD, false],
  ['src/deep/tests.rs', OLD, false],
  ['src/lib.py', OLD, false],
])('%s holds tests beside code: %#', (path, text, expected) => {
  expect(tests.areIn({ path, text })).toBe(expected);
});

test('tests are taken from one file, code from the other', () => {
  const put = tests.put(OLD, NEW)!;
  expect(put).toContain('a - b');
  expect(put).toContain('fn new()');
  expect(put).toContain('use std::collections::BTreeMap;');
  expect(put).not.toMatch(/fn old|Only for tests|allow\(dead_code\)|all\(test/);
  expect(put.indexOf('fn deeper')).toBeLessThan(put.indexOf('fn new'));
  expect(put.slice(put.indexOf('pub mod deep'))).toMatch(
    /fn two[^#]*#\[cfg\(test\)\]\s+mod tests \{\s+#\[test\]\s+fn deeper/,
  );
});

test('where there is no module for them there is no file', () => {
  expect(tests.put('pub fn add() {}\n', NEW)).toBeUndefined();
  expect(tests.put('fn a() {}\n#[test]\nfn loose() {}\n', '')).toBe('fn a() {}\n\n');
});

test('putting again what is there changes no test, and the code never', () => {
  const code = fc.constantFrom(
    'fn a() { "}" ; }\n',
    "const C: char = '{';\n",
    'struct S;\n',
    '// }\n',
    'mod m { fn x() {} }\n',
  );
  const test = fc.constantFrom(
    '#[cfg(test)]\nmod tests { #[test]\n fn t() { panic!("{{") } }\n',
    '#[test]\nfn loose() {}\n',
    '/// Why.\n#[cfg(test)]\nfn helper() {}\n',
  );
  const file = fc.array(fc.oneof(code, test), { maxLength: 6 }).map((parts) => parts.join('\n'));
  fc.assert(
    fc.property(file, file, (one, other) => {
      const put = tests.put(one, other)!;
      const dense = (text: string) => text.replace(/\s+/g, ' ').trim();
      expect(dense(tests.only(put))).toBe(dense(tests.only(other)));
      // Lines stay: failures are told by them.
      expect(tests.put(put, other)).toBe(put);
      expect(dense(tests.put(put, '')!)).toBe(dense(tests.put(one, '')!));
    }),
  );
});
