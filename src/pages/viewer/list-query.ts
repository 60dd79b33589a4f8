import type { RunLine } from './payload';

export const SORTS = [
  'given',
  'instance',
  'method',
  'status',
  'k',
  'ending',
  'training',
  'turns',
  'cost',
  'time',
] as const;
export type Sort = (typeof SORTS)[number];

/** What the list is asked for. It is the list's address too, so that a filtered list can be sent to somebody. */
export interface ListQuery {
  /** Words that all have to occur. */
  readonly text: string;
  readonly method: string;
  readonly instance: string;
  readonly status: string;
  /** One of `STATES`: whether it still runs, and what became of it otherwise. */
  readonly state: string;
  /** `yes`, `no`, or `ungraded`. */
  readonly resolved: string;
  /** `student`, `expert`, or `both`: who acted. */
  readonly author: string;
  readonly kMin: string;
  readonly kMax: string;
  readonly sort: Sort;
  readonly down: boolean;
}

export const ALL: ListQuery = {
  text: '',
  method: '',
  instance: '',
  status: '',
  state: '',
  resolved: '',
  author: '',
  kMin: '',
  kMax: '',
  sort: 'given',
  down: false,
};

/** `#/?method=oec&sort=cost`: what differs from `ALL`. */
export function queryHash(query: ListQuery): string {
  const given = Object.entries(query).filter(([name, value]) => value !== ALL[name as keyof ListQuery]);
  const params = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return params.size > 0 ? `#/?${params.toString()}` : '#/';
}

export function queryOf(params: URLSearchParams): ListQuery {
  const text = (name: keyof ListQuery) => params.get(name) ?? '';
  const sort = SORTS.find((name) => name === params.get('sort')) ?? 'given';
  return {
    text: text('text'),
    method: text('method'),
    instance: text('instance'),
    status: text('status'),
    state: text('state'),
    resolved: text('resolved'),
    author: text('author'),
    kMin: text('kMin'),
    kMax: text('kMax'),
    sort,
    down: params.get('down') === 'true',
  };
}

/** The lines that the query asks for, in its order; lines that are equal to it stay in the given order. */
export function select(lines: readonly RunLine[], query: ListQuery): RunLine[] {
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = lines.filter((line) => fits(line, query) && holds(line, words));
  if (query.sort === 'given') return query.down ? chosen.reverse() : chosen;
  const key = KEYS[query.sort];
  return chosen
    .map((line, at) => ({ line, at, key: key(line) }))
    .sort((a, b) => compared(a.key, b.key, query.down) || a.at - b.at)
    .map(({ line }) => line);
}

function fits(line: RunLine, query: ListQuery): boolean {
  const is = (wanted: string, value: string | null) => wanted === '' || wanted === value;
  return (
    is(query.method, line.method) &&
    is(query.instance, line.instance) &&
    is(query.status, line.status) &&
    is(query.state, stateOf(line)) &&
    is(query.resolved, line.resolved === null ? 'ungraded' : line.resolved ? 'yes' : 'no') &&
    is(query.author, actors(line)) &&
    within(line.k, query.kMin, query.kMax)
  );
}

function within(k: number | null, min: string, max: string): boolean {
  if (min === '' && max === '') return true;
  return k !== null && (min === '' || k >= Number(min)) && (max === '' || k <= Number(max));
}

export const STATES = ['running', 'ended', 'failed', 'cancelled', 'skipped', 'not known'] as const;

/** What became of a run, whatever it ended with: `ended` by itself or at a limit, `skipped` before it began. */
export function stateOf({ status }: RunLine): (typeof STATES)[number] {
  switch (status) {
    case 'running':
    case 'cancelled':
    case 'skipped':
      return status;
    case 'failed':
    case 'terminated':
    case 'timed out':
      return 'failed';
    case 'unknown':
    case 'chain':
      return 'not known';
    default:
      return 'ended';
  }
}

/** Whose turns there are; an empty word where there is none. */
function actors({ turns }: RunLine): string {
  if (!turns) return '';
  if (turns.student > 0 && turns.expert > 0) return 'both';
  return turns.student > 0 ? 'student' : turns.expert > 0 ? 'expert' : '';
}

function holds({ id, instance, method, status, student, expert, loss, note }: RunLine, words: readonly string[]) {
  const text = [id, instance, method, status, student, expert, loss, note].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

type Key = string | number | null;

const KEYS: Readonly<Record<Exclude<Sort, 'given'>, (line: RunLine) => Key>> = {
  instance: ({ instance }) => instance,
  method: ({ method }) => method,
  status: ({ status, resolved }) => `${resolved === null ? 1 : resolved ? 0 : 2} ${status}`,
  k: ({ k }) => k,
  ending: ({ status }) => status,
  // What nothing speaks against comes first; of set-ups and what still runs nothing is known.
  training: ({ kind, method, status, loss }) =>
    kind !== 'rollout' || method === null || status === 'running' ? null : loss === null ? '0' : `1 ${loss}`,
  turns: ({ turns }) => turns?.total ?? null,
  cost: ({ usd }) => usd,
  time: ({ seconds }) => seconds,
};

/** What is not known comes last, whichever way the list is sorted. */
function compared(a: Key, b: Key, down: boolean): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  const order = typeof a === 'string' && typeof b === 'string' ? collator.compare(a, b) : a < b ? -1 : 1;
  return down ? -order : order;
}

const collator = new Intl.Collator('en', { numeric: true });
