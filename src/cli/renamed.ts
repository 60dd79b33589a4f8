/** Options that had another name in an earlier version, by command: the old one is taken, with a note. */
export const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'setup start': { '--judge-by': '--judge' },
  'setup list': { '--status': '--state' },
  'setup compare': { '--parallel': '--concurrency', '--judge-by': '--judge', '--repeat': '--passes' },
  'setup export': { '--test': '--run-tests' },
  'function-problems build': { '--parallel': '--concurrency' },
  'problem init': { '--setup': '--install', '--id': '--name', '--image': '--base' },
  'rollout list': { '--status': '--state' },
  'campaign start': { '--total': '--cost' },
  'campaign budget': { '--total': '--cost' },
  'covariate-shift start': { '--expert': '--expert-runs', '--student': '--student-runs', '--instances': '--only' },
  'shift start': { '--expert': '--expert-runs', '--student': '--student-runs', '--instances': '--only' },
  'pipeline start': { '--rehearsal': '--scripted' },
  'report build': { '--rehearsal': '--scripted', '--problems': '--builds' },
  'experience list': { '--status': '--state' },
  'rehearsal start': { '--script': '--rehearsal' },
  view: { '--host': '--listen' },
};

/** The same words with the names of today, and what to say of those that changed. */
export function withNewNames(argv: readonly string[]): { readonly words: string[]; readonly notes: string[] } {
  const notes: string[] = [];
  const command = Object.keys(RENAMED).find((each) => {
    const path = each.split(' ');
    return argv.some((_, at) => path.every((word, offset) => argv[at + offset] === word));
  });
  const names = RENAMED[command ?? ''] ?? {};
  const words = argv.map((word) => {
    const [name = '', ...value] = word.split(/(?==)/);
    const today = Object.hasOwn(names, name) ? names[name] : undefined;
    if (today === undefined) return word;
    notes.push(`${name} of \`${command}\` is called ${today} now`);
    return today + value.join('');
  });
  return { words, notes };
}
