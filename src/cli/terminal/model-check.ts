import { duration } from '../../pages/figures';
import { table } from './table';

/** What a profile's server made of the requests that a rollout sends. */
export interface Checked {
  readonly name: string;
  /** Every request was answered as the profile stands: nothing has to be changed before a rollout. */
  readonly ok: boolean;
  /** The model that the server says it ran. */
  readonly model: string;
  readonly latencyMs: number | null;
  /** Whether the first answer held an action in the profile's dialect; null where there was no answer. */
  readonly action: boolean | null;
  /** Whether it called a tool by the protocol; dialects in text do without. */
  readonly toolCall: boolean | null;
  /**
   * What the server gives of the tokens that it samples (`keepTokens`): `all`, or what is missing; null where the profile
   * does not ask.
   */
  readonly tokens: string | null;
  readonly priced: boolean;
  readonly contextTokens: number;
  /** Tokens that the server says its model is served with, or that it named when a prompt did not fit. */
  readonly contextFound: number | null;
  readonly requests: readonly CheckedRequest[];
  /** What to change in the profile, or at the server. */
  readonly changes: readonly Change[];
  readonly error: string | null;
  readonly hint: string | null;
}

export interface CheckedRequest {
  readonly what: 'first turn' | 'second turn' | 'long answer' | 'overflow';
  readonly ok: boolean;
  readonly latencyMs: number | null;
  readonly finishReason: string | null;
}

export interface Change {
  /** As the profile would have it, or what to do where no setting of the profile does it. */
  readonly setting: string;
  readonly why: string;
  /** A rollout fails without it. */
  readonly needed: boolean;
}

/** What `models check` found, for a terminal: a line a profile, then what failed and what to change. */
export function checkedText(checked: readonly Checked[], width: number): string {
  const yes = (is: boolean | null) => (is === null ? '-' : is ? 'yes' : 'no');
  const rows = table(
    checked,
    [
      { title: 'PROFILE', value: ({ name }) => name },
      { title: 'ANSWERS', value: ({ ok, error }) => (error !== null ? 'NO' : ok ? 'yes' : 'if changed') },
      { title: 'LATENCY', value: ({ latencyMs }) => (latencyMs === null ? '-' : duration(latencyMs)), right: true },
      { title: 'ACTION', value: ({ action }) => yes(action) },
      { title: 'TOOL CALL', value: ({ toolCall }) => yes(toolCall) },
      ...(checked.some(({ tokens }) => tokens !== null)
        ? [
            {
              title: 'TOKENS',
              value: ({ tokens }: Checked) => (tokens === null ? '-' : tokens === 'all' ? 'yes' : 'not all'),
            },
          ]
        : []),
      { title: 'PRICE', value: ({ priced }) => (priced ? 'known' : 'unknown') },
      { title: 'CONTEXT', value: ({ contextTokens }) => String(contextTokens), right: true },
      {
        title: 'FOUND',
        value: ({ contextFound }) => (contextFound === null ? '-' : String(contextFound)),
        right: true,
      },
      { title: 'MODEL', value: ({ model }) => model, elastic: true },
    ],
    width,
  );
  const told = checked.flatMap(({ name, error, hint, tokens, requests, changes }) => {
    const failed = requests.find(({ ok }) => !ok)?.what;
    return [
      ...(tokens === null || tokens === 'all' ? [] : [`${name}: keepTokens: ${tokens}`]),
      ...(error === null ? [] : [`${name}: ${failed ? `${failed}: ` : ''}${error}${hint ? `\n  → ${hint}` : ''}`]),
      ...(changes.length === 0 ? [] : [`${name}: change in its profile`]),
      ...changes.map(({ setting, why, needed }) => `  ${setting}${needed ? '' : ' (advice)'}\n    ${why}`),
    ];
  });
  return [rows, ...(told.length > 0 ? ['', ...told] : [])].join('\n');
}
