import type { FormatErrorCode, Lenience } from '../contract';

/** What a person can do about replies that are read although they are not as the format has it. */
const ADVICE: Readonly<Record<Lenience, string>> = {
  call_as_text: 'calls came as text: start the server with its tool parser, or use dialect xml',
  native_call: 'calls came as tool calls: use dialect tools, or start the server without a tool parser',
  name: 'names of tools came with dirt around them: look at the tool parser of the server',
  arguments: 'arguments came encoded twice, with bare line ends or with dirt behind them: look at the tool parser',
  extra_arguments: 'arguments that a tool does not have were left out',
  quoted_blocks: 'code was quoted in blocks beside the command',
  first_of_several: 'further actions of a reply were left out, as view.actions of the profile says',
};

/** Each kind of it once, with how many turns it was. */
export function lenienceNotes(lenient: Readonly<Partial<Record<Lenience, number>>>): string[] {
  return Object.entries(lenient).map(([kind, n]) => `${ADVICE[kind as Lenience]} (${n} ${n === 1 ? 'turn' : 'turns'})`);
}

/** What mends replies that could not be read, where it is a setting. */
const SETTINGS: Readonly<Partial<Record<FormatErrorCode, string>>> = {
  multiple_actions: 'set view.actions of the profile to first, or extraBody.parallel_tool_calls to false',
  reply_too_long: 'raise maxOutputTokens of the profile, or have the server limit reasoning',
  unclosed_reasoning: 'raise maxOutputTokens of the profile, or start the server with its reasoning parser',
  missing_action: 'see whether the model knows this dialect: pointsman models check',
};

/** Why a run ended on replies that could not be read, and which setting may help. */
export function whyUnread(codes: readonly FormatErrorCode[]): string {
  const counts = new Map<FormatErrorCode, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  const ranked = [...counts].sort(([, a], [, b]) => b - a);
  const setting = ranked.map(([code]) => SETTINGS[code]).find((each) => each !== undefined);
  const said = ranked.map(([code, n]) => `${code} ×${n}`).join(', ');
  return `${codes.length} replies in a row could not be read (${said})${setting ? `; ${setting}` : ''}`;
}
