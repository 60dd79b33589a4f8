import type { Survey } from './survey';

/** A command, at the beginning of a line, after another one, or quoted within a sentence. */
const INSTALL =
  /(?:^[ \t>]*(?:[$%#] +|- +)?(?:RUN +|(?:run|script|install|before_install): *)?|[`;&|'"] *)(?:sudo +(?:-\S+ +)*)?(?:\w+=\S+ +)*(?:apt|apt-get|aptitude) +(?:-\S+ +)*install +([^\n;&|`]+)/gm;
/** The lists of Travis and of CircleCI's helpers. */
const LISTED = /^ +(?:apt_)?packages: *\n((?: +- *\S.*\n?)+)/gm;
/** With a dot only in a version, and without a sign at its end: apt would take the one for a pattern, the other for a removal. */
const NAME = /^[a-z0-9](?:[a-z0-9+-]|(?<=\d)\.(?=\d))*[a-z0-9+]$/;

/** With these, a line goes on as a sentence. */
const PROSE =
  /^(a|an|and|any|as|before|etc|first|for|from|if|in|it|on|or|package|packages|that|the|then|this|to|with|you|your)$/;

/**
 * Interpreters and their packages, tools that are there or that an ecosystem brings itself, servers, which are services, and
 * what continuous integration has for other targets and for reports: none of them is what a build or a test lacks.
 */
const ELSEWHERE =
  /^(python[\d.]*(-.*)?|pypy.*|ipython.*|sudo|git|wget|curl|gnupg\d?|ca-certificates|lsb-release|apt-.*|software-properties-common|build-essential|docker.*|containerd.*|nodejs|npm|yarn|cargo|rustc|golang.*|openjdk.*|default-j.*|maven|gradle|postgresql(-\d.*)?|(mysql|mariadb|redis|mongodb|rabbitmq)-server.*|redis|memcached|mongodb.*|elasticsearch|wine.*|.*mingw.*|.*-multilib|clang.*|llvm.*|lcov|gcovr|valgrind|cppcheck|doxygen|texlive.*|.*-dbg(sym)?)$/;

const MACHINES = /^(\.github\/workflows\/|\.travis|\.circleci\/)/;
const IMAGE = /(^|\/)Dockerfile$/i;
const LIST = /(^|\/)(apt|packages)\.txt$/;

/**
 * Debian packages that a repository has apt install: what its continuous integration does first, as that runs the tests, then
 * its images and lists, then its documents, which speak to users as well.
 */
export function systemPackages({ texts }: Survey): string[] {
  const of = (wanted: (path: string) => boolean) =>
    Object.entries(texts).flatMap(([path, text]) => (wanted(path) ? [text.replace(/\\\r?\n/g, ' ')] : []));
  const installed = (text: string) => [...text.matchAll(INSTALL)].flatMap(([, words]) => wordsOf(words!));
  const listed = (text: string) =>
    [...text.matchAll(LISTED)].flatMap(([, rows]) => rows!.split('\n').map((row) => row.replace(/^ *- */, '')));
  const named = [
    ...of((path) => MACHINES.test(path)).flatMap((text) => [...installed(text), ...listed(text)]),
    ...of((path) => IMAGE.test(path)).flatMap(installed),
    ...of((path) => LIST.test(path)).flatMap((text) => text.split('\n')),
    ...of((path) => !MACHINES.test(path) && !IMAGE.test(path)).flatMap(installed),
  ].map((word) =>
    word
      .trim()
      .replace(/^(['"])(.*)\1$/, '$2')
      .replace(/=.*/, ''),
  );
  return [...new Set(named)].filter(isSystemPackage);
}

/** Words of what is to be installed: up to a remark, and as far as they read like names and not like a sentence. */
export function wordsOf(text: string): string[] {
  const words = text
    .replace(/ #.*/, '')
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/(?<![.,:;)'"])[.,:;)'"]+$/, '').replace(/^[('"]+/, ''));
  const prose = words.findIndex((word) => PROSE.test(word));
  return prose < 0 ? words : words.slice(0, prose);
}

/** Whether a word can be a package that is apt's to bring, and nobody else's. */
export function isSystemPackage(word: string): boolean {
  return NAME.test(word) && !ELSEWHERE.test(word);
}
