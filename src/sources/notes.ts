import type { SourceSpec } from '../contract';
import type { Facts } from './guest';
import type { SourceTree } from './tree';

/** What git-lfs leaves in place of a file, as its specification says: three lines, the first with the format's address. */
const POINTER =
  /^version https:\/\/[^\n]*\bgit-lfs\b[^\n]*\/v1\n(?:ext-[^\n]*\n)*oid sha256:[0-9a-f]{64}\nsize \d+\n?$/;

/** What a user should know of a fetched tree: how far it was verified, and what is not in it. */
export function notesOn(kind: SourceSpec['kind'], tree: SourceTree, facts: Facts): string[] {
  const said = Array.isArray(facts.notes) ? facts.notes.map(String) : [];
  return [...said, ...kindNotes(kind, facts), ...lfsNotes(tree)];
}

function kindNotes(kind: SourceSpec['kind'], { submodules, version, patched }: Facts): string[] {
  if (kind === 'deb-src') {
    const state = patched ? 'the patches in debian/patches are applied' : 'the package has no patches of its own';
    return [`${state}; verified by apt against the archive's signed lists`];
  }
  if (kind !== 'git') return [];
  const parts = typeof submodules === 'number' && submodules > 0 ? [`submodules in the tree: ${submodules}`] : [];
  if (version !== undefined) return parts;
  return [...parts, 'no tag with a version points at the commit: what takes its version from git will not find it'];
}

/** The contents of such files are elsewhere, and tests that need them fail. */
function lfsNotes(tree: SourceTree): string[] {
  const pointers = [...tree]
    .filter(([, { bytes }]) => bytes.length > 100 && bytes.length < 1024 && POINTER.test(bytes.toString('utf8')))
    .map(([path]) => path)
    .sort();
  if (pointers.length === 0) return [];
  const named = pointers.slice(0, 5).join(', ');
  const more = pointers.length > 5 ? `, and ${pointers.length - 5} more` : '';
  const what = pointers.length === 1 ? '1 file is a Git LFS pointer' : `${pointers.length} files are Git LFS pointers`;
  return [`${what}, the contents were not fetched: ${named}${more}`];
}
