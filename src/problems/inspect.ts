import type { Flag, Problem } from '../contract/problem';
import { type PatchSection, splitPatch } from './patch';
import { isPytestConfig } from './pytestConfig';
import { shadowsLibrary } from './shadowing';
import { suspiciousLines } from './suspicion';
import { hiddenPaths, isTestName, testRoots } from './testFiles';

export interface Inspection {
  /** Paths that the patch touches, relative to the work directory, as far as we can read it. */
  readonly touched: readonly string[];
  readonly flags: readonly Flag[];
  /** The patch without the files that no patch may bring. */
  readonly allowed: string;
  /** Paths left out of it. */
  readonly dropped: readonly string[];
}

/**
 * Reads a candidate's patch before any of it runs. What it may not bring is left out and flagged; the rest is graded as
 * it is, so an honest fix that also edited a test is judged by the fix. Lines that look like an attack on the judge are
 * flagged only: running decides.
 */
export function inspectPatch(patch: string, problem: Problem): Inspection {
  const flags: Flag[] = [];
  const touched = new Set<string>();
  const dropped = new Set<string>();
  const allowed: string[] = [];
  const refuse = refusals(problem);
  for (const section of splitPatch(patch)) {
    const paths = [section.from, section.to].filter((path): path is string => path !== null);
    for (const path of paths) touched.add(path);
    const found = refuse(section);
    flags.push(...found);
    if (found.length > 0) {
      for (const path of paths) dropped.add(path);
      continue;
    }
    flags.push(...suspiciousLines(section));
    allowed.push(section.text);
  }
  const text = allowed.join('\n');
  return {
    touched: [...touched],
    flags,
    allowed: text === '' || text.endsWith('\n') ? text : `${text}\n`,
    dropped: [...dropped],
  };
}

/** Whether a single path may be changed by a patch, for the paths that git reads from it. */
export function refusedPath(path: string, problem: Problem): Flag | undefined {
  return pathRule(path, problem, testRoots(problem), hiddenPaths(problem));
}

function refusals(problem: Problem): (section: PatchSection) => Flag[] {
  const [roots, hidden] = [testRoots(problem), hiddenPaths(problem)];
  return (section) => {
    const paths = new Set([section.from, section.to].filter((path): path is string => path !== null));
    const flags = [...paths].flatMap((path) => pathRule(path, problem, roots, hidden) ?? []);
    const at = section.to ?? section.from ?? '';
    if (section.modes.includes('160000')) flags.push({ kind: 'submodule', detail: at });
    if (section.modes.includes('120000') && section.to !== null) {
      const target = section.added[0] ?? '';
      if (leaves(section.to, target)) flags.push({ kind: 'symlink_out', detail: `${at} -> ${target}` });
    }
    if (section.from === null && section.to !== null && shadowsLibrary(section.to, roots)) {
      flags.push({ kind: 'shadows_library', detail: at });
    }
    return flags;
  };
}

function pathRule(
  path: string,
  problem: Problem,
  roots: readonly string[],
  hidden: readonly string[],
): Flag | undefined {
  const parts = path.split('/');
  const name = parts.at(-1)!;
  const flag = (kind: string): Flag => ({ kind, detail: path });
  if (path === '' || path.startsWith('/') || parts.includes('..')) return flag('outside_workdir');
  if (parts.some((part) => part.toLowerCase() === '.git') || name === '.gitmodules') return flag('touches_git');
  if (/^(sitecustomize|usercustomize)(\.|$)/.test(name) || name.endsWith('.pth') || name === 'pyvenv.cfg') {
    return flag('startup_hook');
  }
  if (problem.protected.some((own) => path === own || path.startsWith(`${own}/`))) return flag('touches_protected');
  if (/\.(pyc|pyo)$/.test(name) || parts.includes('__pycache__')) return flag('compiled_code');
  if (isPytestConfig(path)) return flag('touches_test_config');
  if (hidden.includes(path)) return flag('touches_test');
  if (isTestName(path) || roots.some((root) => path === root || path.startsWith(`${root}/`)))
    return flag('touches_test');
  return undefined;
}

/** Whether a link at `path` to `target` ends outside of the work directory. */
function leaves(path: string, target: string): boolean {
  if (target.startsWith('/')) return true;
  let depth = path.split('/').length - 1;
  for (const part of target.split('/')) {
    if (part === '..') depth--;
    else if (part !== '' && part !== '.') depth++;
    if (depth < 0) return true;
  }
  return target.split('/').some((part) => part.toLowerCase() === '.git');
}
