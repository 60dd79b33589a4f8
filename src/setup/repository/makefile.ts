/** A Makefile as far as it can be known without running it: its rules, and the variables whose values stand there. */
export interface Makefile {
  /** Lines of a target's recipe, without what only concerns make; empty where it has none. */
  recipe(target: string): string[];
  prerequisites(target: string): string[];
  /** Variables replaced by their values, as make does it; one whose value a function gives stays as it is written. */
  expand(text: string): string;
}

/** Values that refer to each other further than this refer to themselves. */
const DEEPEST = 5;
/** Characters to which they are replaced: ten in each of ten, five deep, are a text that nobody wrote. */
const LONGEST = 100_000;

export function readMakefile(text: string): Makefile {
  const variables = new Map<string, string>();
  const rules = new Map<string, { prerequisites: string[]; recipe: string[] }>();
  let targets: string[] = [];
  for (const line of text.replace(/(?:(?<!\s)\s+)?\\\r?\n\s*/g, ' ').split(/\r?\n/)) {
    if (line.startsWith('\t')) {
      const command = line.trim().replace(/^[@+-]+\s*/, '');
      for (const target of targets) rules.get(target)!.recipe.push(command);
      continue;
    }
    const variable = /^(?:export\s+)?([\w.-]+)\s*(?::{1,3}|\?)?=\s*(.*?)\s*$/.exec(line);
    if (variable) {
      variables.set(variable[1]!, variable[2]!);
      continue;
    }
    const rule = /^([^\s#:=][^:=#]*)::?(?!=)\s*([^#;=]*)/.exec(line);
    if (!rule) continue;
    targets = rule[1]!.trim().split(/\s+/);
    for (const target of targets) {
      const known = rules.get(target) ?? { prerequisites: [], recipe: [] };
      known.prerequisites.push(...rule[2]!.split(/[\s|]+/).filter(Boolean));
      rules.set(target, known);
    }
  }
  let made = 0;
  const expand = (given: string, depth = 0): string =>
    given.replace(/\$[({]([\w.-]+)[)}]/g, (reference, name: string) => {
      const value = depth < DEEPEST && made < LONGEST ? expand(variables.get(name) ?? '', depth + 1) : '';
      made += value.length;
      if (made > LONGEST) return reference;
      return value.includes('$') ? reference : value;
    });
  return {
    recipe: (target) => rules.get(target)?.recipe ?? [],
    prerequisites: (target) => rules.get(target)?.prerequisites ?? [],
    expand(given) {
      made = 0;
      return expand(given);
    },
  };
}
