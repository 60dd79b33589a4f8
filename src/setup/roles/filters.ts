/** Ways to run fewer tests than there are. Each names itself as people know it. */
const FILTERS: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: '-k', pattern: /\bpy\.?test\b[^|;&]*\s-k[ =]?\S/ },
  { name: '-m', pattern: /\bpy\.?test\b[^|;&]*\s-m[ =]?['"]?(?:not\b|\w)/ },
  { name: '--deselect', pattern: /\s--deselect\b/ },
  { name: '--ignore', pattern: /\bpy\.?test\b[^|;&]*\s--ignore(?:-glob)?\b/ },
  { name: '--lf', pattern: /\bpy\.?test\b[^|;&]*\s--(?:lf|last-failed|ff|sw|stepwise)\b/ },
  { name: '-run', pattern: /\bgo\b[^|;&]*\btest\b[^|;&]*\s-{1,2}(?:run|skip|short)\b/ },
  { name: '--skip', pattern: /\bcargo\b[^|;&]*\btest\b[^|;&]*\s(?:--skip|--lib|--bins|--doc|--test)\b/ },
  { name: '-E', pattern: /\bctest\b[^|;&]*\s-(?:R|E|L|LE|I)\s/ },
  { name: '-t', pattern: /\b(?:jest|vitest)\b[^|;&]*\s(?:-t|--testNamePattern|--testPathIgnorePatterns|--exclude)\b/ },
  { name: '--grep', pattern: /\bmocha\b[^|;&]*\s(?:-g|--grep|-f|--fgrep|--ignore|--exclude)\b/ },
  { name: '-Dtest', pattern: /\s-D(?:test|it\.test|skipTests|maven\.test\.skip)\b/ },
  { name: '--exclude-task', pattern: /\bgradlew?\b[^|;&]*\s(?:--tests|-x\s+test|--exclude-task)\b/ },
];

/** What a run says when it ended before all tests had their turn, or left some out. */
const CUT: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  {
    name: 'stopped after the first failures',
    pattern: /^!+ (?:stopping after|xdist\.dsession\.Interrupted: stopping) /m,
  },
  { name: 'tests deselected', pattern: /\b[1-9]\d* deselected\b/ },
  { name: 'tests filtered out', pattern: /\b[1-9]\d* filtered out\b/ },
];

/** Names of the filters that a test run had, by its command and by what it printed; empty: all tests had their turn. */
export function filtersOf(command: string, output: string): string[] {
  // `python -m pytest` runs a module; pytest's own -m chooses markers.
  const said = command.replace(/\bpython[\d.]*\s+-m\s+/g, '');
  const asked = FILTERS.filter(({ pattern }) => pattern.test(said));
  return [...asked, ...CUT.filter(({ pattern }) => pattern.test(output))].map(({ name }) => name);
}
