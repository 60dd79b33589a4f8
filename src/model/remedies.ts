import type { ModelProfile } from '../contract';

/** What mends a request that a server refuses. */
export interface Remedy {
  readonly hint: string;
  /** The settings of the profile that do it; absent where no setting does, or a person has to choose. */
  readonly setting?: Partial<Pick<ModelProfile, 'stream' | 'emptyContent' | 'emptyParameters' | 'extraBody'>>;
}

/** By the lower-cased words of the server; the first that fits. */
const REMEDIES: readonly (Remedy & { readonly says: RegExp })[] = [
  {
    says: /stream_options|include_usage/,
    hint: 'Set extraBody: { stream_options: null } in the profile; usage is then estimated where the server sends none.',
    setting: { extraBody: { stream_options: null } },
  },
  {
    says: /return_(token_ids|prompt_token_ids|meta_info)|\b(top_)?logprobs\b/,
    hint: 'The server does not give log-probabilities or ids as it was asked to: take the field that it names out of extraBody; with keepTokens: true it is left out by itself.',
  },
  {
    says: /content_filter|content_policy|content management policy|responsibleai|data_inspection|moderation|flagged/,
    hint: 'The provider refuses what the conversation says, not how it is sent: another model, or another problem.',
  },
  {
    says: /content\b.{0,60}(null|none\b)|got (null|none)\b|(null|none) (content|is not allowed)|content.{0,40}(valid|expected a?) ?string/,
    hint: 'Set emptyContent: text in the profile (or emptyContent: omitted).',
    setting: { emptyContent: 'text' },
  },
  {
    says: /content\b.{0,60}(non-?empty|(must|may|can) ?not be empty|is empty)/,
    hint: 'Set emptyContent: "null" in the profile (or emptyContent: omitted).',
    setting: { emptyContent: 'omitted' },
  },
  {
    says: /properties.{0,40}(non-?empty|empty|required|minimum)|parameters.{0,60}(non-?empty|is empty|must not be empty)/,
    hint: 'Set emptyParameters: omitted in the profile.',
    setting: { emptyParameters: 'omitted' },
  },
  {
    says: /tool.{0,60}(not supported|unsupported|not enabled|requires|disabled|does not support)|(not |that )support.{0,40}tool|enable.{0,40}tool/,
    hint: 'Start the server with its parser of tool calls, or set a view.dialect in text (xml or backticks) in the profile.',
  },
  {
    says: /max_tokens['"`]* is not supported|max_tokens.{0,80}max_completion_tokens.{0,20}instead/,
    hint: 'Set extraBody: { max_completion_tokens: N } in the profile, which then replaces max_tokens.',
  },
  {
    says: /max_(completion_|new_|output_)?tokens|maximum allowed number of output/,
    hint: 'Lower maxOutputTokens of the profile.',
  },
  {
    says: /thought_signature|reasoning_content.{0,80}(passed|pass|sent|send) back/,
    hint: 'The server wants its own reasoning back with each call, which a history that others wrote does not have: set a view.dialect in text (xml or backticks), or switch reasoning off in extraBody.',
  },
  {
    says: /credit balance|billing|insufficient (credits?|funds|balance)|budget has been exceeded/,
    hint: 'The account cannot pay for this call: add credit, then start again.',
  },
  { says: /temperature/, hint: 'Change temperature of the profile, or leave it out.' },
];

/** A server that answers only in streams, or in none, says so in many ways; `upstream` is not one of them. */
const STREAMS = /\bstream(?!_options)/;

/**
 * What mends the request that was refused with these words; undefined where they are nobody's, and there is nothing to say
 * but the words. `stream` is whether a stream was asked for.
 */
export function remedyFor(words: string, stream = false): Remedy | undefined {
  const lower = words.slice(0, 20_000).toLowerCase();
  if (STREAMS.test(lower)) {
    return stream
      ? { hint: 'The server does not stream: remove stream from the profile.', setting: { stream: false } }
      : { hint: 'The server answers only in streams: set stream: true in the profile.', setting: { stream: true } };
  }
  return REMEDIES.find(({ says }) => says.test(lower));
}
