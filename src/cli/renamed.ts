/** Options that had another name in an earlier version, by command: the old one is taken, with a note. */
const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'setup compare': { '--parallel': '--concurrency' },
  'setup export': { '--test': '--run-tests' },
  'function-problems build': { '--parallel': '--concurrency' },
  'problem init': { '--setup': '--install' },
  'campaign start': { '--total': '--cost' },
  'campaign budget': { '--total': '--cost' },
  'covariate-shift start': { '--expert': '--expert-runs', '--student': '--student-runs' },
  'shift start': { '--expert': '--expert-runs', '--student': '--student-runs' },
  'pipeline start': { '--rehearsal': '--scripted' },
  'report build': { '--rehearsal': '--scripted' },
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
