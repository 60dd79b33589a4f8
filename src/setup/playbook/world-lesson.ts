import { z } from 'zod';
import { ExperienceDraft, type Suggestion } from '../../contract';
import { errorSignatures } from '../error-signature';
import {
  type ExtractOptions,
  generalized,
  isDisputed,
  isParticular,
  keywordsOf,
  particularsOf,
  patternOf,
} from '../experience';
import type { SeenAction } from '../roles/role';
import { Progress } from './progress';
import { describeWorld, isBetter, type Lesson } from './worlds';

const MOST_NEWER = 10;
const word = (form: RegExp) => z.union([z.literal(''), z.string().regex(form)]);
/** What a world chose apart from its day. Units may come from anywhere, and these words get into a command. */
const DatedWorld = z.object({
  runner: word(/^<\d{1,3}$/).default(''),
  newer: z
    .record(z.string().regex(/^[a-z0-9][a-z0-9.-]{0,100}$/), word(/^\d{4}-\d\d-\d\d$/))
    .refine((newer) => Object.keys(newer).length <= MOST_NEWER)
    .default({}),
});

/** Worlds that units of experience tell of, best first. */
export function lessonsIn(suggestions: readonly Pick<Suggestion, 'unit' | 'atoms'>[]): Lesson[] {
  return suggestions.flatMap(({ unit, atoms }) =>
    atoms.flatMap(({ name, args }) => {
      const read = name === 'dated_world' ? DatedWorld.safeParse(args) : undefined;
      return read?.success ? [{ unit, ...read.data }] : [];
    }),
  );
}

const MOST_CAUSES = 10;
/** What a test said is about its project, not about the world. */
const OF_A_TEST = /^(?:E\s+)?(?:assert\b|AssertionError|FAILED|ERROR|=|-|\d+ (?:failed|passed|errors?))/i;

/**
 * What the search for a world teaches: for the errors of today and of the worlds that were no better, what the one that stands
 * has beside its day. Null where no world helped, or the day alone did, which is tried first anyway. One with an interpreter is
 * no lesson: the newest that does is wanted, so it comes last everywhere.
 */
export function worldLesson(seen: readonly SeenAction[], options: ExtractOptions): ExperienceDraft | null {
  const { base, trials } = new Progress({ seen, verified: null }).worldsOf('');
  const standing = trials.findLast(({ stands }) => stands);
  if (!standing?.outcome || !isBetter(standing.outcome, base)) return null;
  const { runner, newer, interpreter } = standing.world;
  if (interpreter !== '' || (runner === '' && Object.keys(newer).length === 0)) return null;
  const { facts, verdict, provenance, workdir } = options;
  const particulars = particularsOf(provenance.repository, workdir);
  const met = [base, ...trials.flatMap(({ outcome }) => (outcome && outcome !== standing.outcome ? [outcome] : []))];
  const errors = [...new Set(met.flatMap(({ output }) => errorSignatures(output)))];
  const causes = errors
    .filter((error) => !OF_A_TEST.test(error) && !isParticular(error, particulars) && !isDisputed([error], options))
    .slice(0, MOST_CAUSES)
    .map((error) => generalized(error, particulars));
  const [first] = causes;
  if (first === undefined) return null;
  const what = describeWorld({ date: "the release's day", runner, newer, interpreter });
  const draft = {
    signals: {
      keywords: keywordsOf(causes.join('\n')),
      regex: [...new Set(causes.map(patternOf))],
      situation_triggers: [`tests fail: ${first}`.slice(0, 400)],
      applicability: { lang: facts.lang },
    },
    advice_nl: [`Seen: ${first}`, `What made it go away: ${what}`],
    atoms: [{ name: 'dated_world', args: { runner, newer } }],
    provenance: { ...provenance, ...(verdict === null ? {} : { verdict }) },
  };
  return ExperienceDraft.safeParse(draft).data ?? null;
}
