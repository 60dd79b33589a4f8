/**
 * A glob over paths with `/`: two stars are any number of folders, one star and `?` stay within a name. Anchored at both
 * ends: `setup.py` is the one at the top of the repository only.
 */
export function globPattern(glob: string): RegExp {
  const source = glob.replace(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (piece) => {
    if (piece === '**/') return '(?:[^/]+/)*';
    if (piece === '**') return '.*';
    if (piece === '*') return '[^/]*';
    return piece === '?' ? '[^/]' : `\\${piece}`;
  });
  return new RegExp(`^${source}$`);
}
