import { distributionOf } from '../repository/distributions';
import type { Cause, Fix, Predicament, Reader, Remedy } from './goal';
import { type Progress, TAUGHT } from './progress';
import { describeWorld, worldKey } from './worlds';

export interface Knowledge {
  readonly readers: readonly Reader[];
  readonly remedies: readonly Remedy[];
}

export type Decision =
  | { readonly kind: 'remedy'; readonly keys: readonly string[]; readonly fix: Fix; readonly say: string }
  | { readonly kind: 'unit'; readonly unit: string; readonly command?: string; readonly why: string };

/** Names that one command takes: more make a step that nobody can read. */
const MOST_AT_ONCE = 12;

/** Every cause that a text names, in the order of the table and without repetition. */
function causesIn(text: string, { readers }: Knowledge, { project }: Pick<Predicament, 'project'>): Cause[] {
  const found = new Map<string, Cause>();
  for (const { cause, pattern, what } of readers) {
    for (const match of text.matchAll(
      new RegExp(pattern, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`),
    )) {
      const about = what ? what(match, project) : (match[1] ?? '');
      if (about !== null) found.set(`${cause}:${about}`, { kind: cause, what: about });
    }
  }
  return [...found.values()];
}

/**
 * What to do about a failure: a remedy that is known to help against a cause that the text names, else a unit of
 * experience that was found for it, else what may help. Null when nothing new is left.
 */
export function decide(predicament: Predicament, knowledge: Knowledge, progress: Progress): Decision | null {
  const causes = causesIn(predicament.text, knowledge, predicament);
  const remedy = (sure: boolean) =>
    remedyFor(
      causes,
      predicament,
      knowledge.remedies.filter((one) => one.sure === sure),
      progress,
    );
  return remedy(true) ?? unitFor(predicament) ?? remedy(false);
}

/** Those that were tried for this error are not suggested any more. */
function unitFor({ suggestions, text }: Predicament): Decision | null {
  for (const { unit, commands, matched } of suggestions) {
    if (commands.length === 0) continue;
    const command = filledIn(commands.join(' && '), text);
    if (command === null) continue;
    const asWritten = command === commands.join(' && ');
    return {
      kind: 'unit',
      unit,
      ...(asWritten ? {} : { command }),
      why: `matched by ${matched.slice(0, 3).join(', ')}`,
    };
  }
  return null;
}

/** Advice leaves a blank for the package that the traceback ends in; null where it leaves another, which takes a reader. */
function filledIn(command: string, text: string): string | null {
  const blank = /\b(?:PACKAGE|NAME|MODULE)(?:_[A-Z]+)*\b/g;
  if (!blank.test(command)) return command;
  const module = [...text.matchAll(/site-packages\/([A-Za-z_]\w*)[/.]/g)].at(-1)?.[1];
  return module === undefined ? null : command.replace(blank, distributionOf(module));
}

function remedyFor(
  causes: readonly Cause[],
  predicament: Predicament,
  remedies: readonly Remedy[],
  progress: Progress,
): Decision | null {
  for (const kind of new Set(causes.map((cause) => cause.kind))) {
    const whats = causes.filter((cause) => cause.kind === kind).map(({ what }) => what);
    for (const remedy of remedies.filter(({ cause }) => cause === kind)) {
      const open = whats.filter((what) => !progress.helped(keyOf(remedy, [what]))).slice(0, MOST_AT_ONCE);
      const groups = [open, ...(open.length > 1 && remedy.apart ? open.map((what) => [what]) : [])];
      for (const group of groups.filter(({ length }) => length > 0)) {
        const fix = remedy.fix(group, predicament);
        const made = fix && 'act' in fix ? fix : undefined;
        const { world, unit } = made ?? {};
        const key = world ? worldKey(world) : keyOf(remedy, group);
        if (!fix || progress.spent(key, made?.act ?? null)) continue;
        if ('way' in fix && !isNewWay(fix.way, predicament, progress)) continue;
        const about = group.filter(Boolean).join(', ');
        const each = group.length > 1 ? group.map((what) => keyOf(remedy, [what])) : [];
        const keys = [key, ...(unit ? [TAUGHT + unit] : []), ...each];
        const name = world ? describeWorld(world) : remedy.name;
        return { kind: 'remedy', keys, fix, say: `${kind}${about ? ` ${about}` : ''}: ${name}.` };
      }
    }
  }
  return null;
}

/** A way that was taken, or that makes no difference to this goal, is none. */
function isNewWay([slot, value]: readonly [string, string], { goal, ways }: Predicament, progress: Progress): boolean {
  const other = goal.act(new Map([...ways, [slot, value]]));
  return !progress.tookWay(goal.id, `${slot}=${value}`) && JSON.stringify(other) !== JSON.stringify(goal.act(ways));
}

function keyOf({ name }: Remedy, whats: readonly string[]): string {
  return `${name.replaceAll(' ', '-')}:${whats.join('+')}`;
}
