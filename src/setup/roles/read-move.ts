import { z } from 'zod';
import type { ChatTool, FormatError, FormatErrorCode, RawReply } from '../../contract';
import { nearest } from '../../contract/parse';
import { cutEnd, preview } from '../../rollout/clip';
import { saidObjects } from '../read-json';

export type ReadMove<Move> =
  | { readonly ok: true; readonly move: Move }
  | { readonly ok: false; readonly error: FormatError };

/** A union of moves that one field tells apart: `action` of the set-up agent, `move` of the others. */
export type Moves = z.ZodDiscriminatedUnion<readonly z.ZodObject[]>;

/** Longer replies are not read: no move of use is that long. */
const MOST_CHARS = 400_000;

/**
 * The one move of a model's reply: a JSON object, alone, in a fence or between sentences, or a native tool call. What was
 * said around it becomes its thought. Never throws; what is wrong is told with the form that was expected, so that a model
 * can mend it. Nothing is guessed: an unknown move is an error and no shell command.
 */
export function readMove<Schema extends Moves>(schema: Schema, reply: RawReply): ReadMove<z.infer<Schema>> {
  const tag = schema.def.discriminator;
  const fail = (code: FormatErrorCode, problem: string): ReadMove<never> => ({
    ok: false,
    error: {
      code,
      observation: `${cutEnd(problem, 900)}\n\nAnswer with one JSON object of one of these forms:\n${formsOf(schema).join('\n')}`,
    },
  });
  const content = reply.content ?? '';
  if (content.length > MOST_CHARS)
    return fail('reply_too_long', `The reply has ${content.length} characters and was not read.`);
  if (content.trim() === '' && reply.toolCalls.length === 0) return fail('empty_reply', 'The reply is empty.');
  if (reply.toolCalls.length > 1)
    return fail(
      'multiple_actions',
      `The reply has ${reply.toolCalls.length} tool calls; nothing was done. Make one at a time.`,
    );
  const [call] = reply.toolCalls;
  const { objects, around } = call ? calledWith(tag, call) : saidObjects(content);
  const tagged = objects.filter((object) => tag in object);
  if (tagged.length > 1)
    return fail(
      'multiple_actions',
      `The reply has ${tagged.length} JSON objects with "${tag}"; nothing was done. Make one move at a time.`,
    );
  const [object] = tagged;
  if (!object) {
    if (reply.finishReason === 'length')
      return fail(
        'reply_too_long',
        'The reply reached the output limit before its JSON object was complete. Do less in one move.',
      );
    return fail(
      'missing_action',
      objects.length > 0 ? `The JSON object has no "${tag}".` : 'The reply holds no complete JSON object.',
    );
  }
  const names = schema.options.map((option) => String(literalOf(option, tag)));
  const name = object[tag];
  if (typeof name !== 'string' || !names.includes(name)) {
    const close = typeof name === 'string' ? nearest(name, names) : undefined;
    return fail(
      'unknown_tool',
      `There is no ${tag} ${preview(JSON.stringify(name) ?? 'undefined', 60)}${close ? `; did you mean "${close}"?` : '.'}`,
    );
  }
  const parsed = schema.safeParse(object);
  if (!parsed.success)
    return fail(
      codeOf(parsed.error.issues),
      parsed.error.issues.map((issue) => problemOf(issue, object, schema, name)).join(' '),
    );
  const move = parsed.data as z.infer<Schema> & { thought?: string };
  return { ok: true, move: move.thought === '' && around !== '' ? { ...move, thought: around } : move };
}

/** Each move as a line of JSON; fields that may be left out are marked. */
export function formsOf(schema: Moves): string[] {
  return schema.options.map((option) => {
    const fields = Object.entries(option.shape).map(([name, field]) => {
      const optional = field instanceof z.ZodType && field.safeParse(undefined).success ? '?' : '';
      return `"${name}"${optional}: ${typeOf(z.toJSONSchema(field as z.ZodType, { io: 'input', unrepresentable: 'any' }) as Json)}`;
    });
    return `{${fields.join(', ')}}`;
  });
}

/** The moves as tools, for models that call them natively. */
export function toolsOf(schema: Moves): ChatTool[] {
  const tag = schema.def.discriminator;
  return schema.options.map((option) => {
    const { [tag]: _, ...shape } = option.shape;
    const { $schema: _schema, ...parameters } = z.toJSONSchema(z.strictObject(shape), {
      io: 'input',
      unrepresentable: 'any',
    });
    const name = String(literalOf(option, tag));
    return {
      type: 'function',
      function: { name, description: `The ${tag} "${name}"; see the instructions.`, parameters },
    };
  });
}

type Json = {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  items?: Json;
  properties?: Record<string, Json>;
  required?: string[];
  additionalProperties?: Json | boolean;
};

function typeOf(json: Json): string {
  if (json.const !== undefined) return JSON.stringify(json.const);
  if (json.enum) return json.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (json.type === 'array') return `[${json.items ? typeOf(json.items) : ''}, ...]`;
  if (json.type !== 'object') return json.type ?? 'any';
  const fields = Object.entries(json.properties ?? {}).map(
    ([name, field]) => `"${name}"${json.required?.includes(name) ? '' : '?'}: ${typeOf(field)}`,
  );
  return fields.length > 0 ? `{${fields.join(', ')}}` : '{name: string, ...}';
}

function literalOf(option: z.ZodObject, tag: string): unknown {
  const field = option.shape[tag];
  return field instanceof z.ZodLiteral ? field.value : undefined;
}

function calledWith(tag: string, call: { name: string; arguments: string }) {
  const { objects } = saidObjects(call.arguments.trim() === '' ? '{}' : call.arguments);
  return { objects: objects.slice(0, 1).map((object) => ({ ...object, [tag]: call.name })), around: '' };
}

function codeOf(issues: readonly z.core.$ZodIssue[]): FormatErrorCode {
  if (issues.some((issue) => issue.code === 'unrecognized_keys')) return 'unexpected_argument';
  return issues.some((issue) => issue.code === 'invalid_type' && issue.message.includes('undefined'))
    ? 'missing_argument'
    : 'invalid_arguments';
}

function problemOf(issue: z.core.$ZodIssue, object: Record<string, unknown>, schema: Moves, name: string): string {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const option = schema.options.find((one) => literalOf(one, schema.def.discriminator) === name);
    const known = path === '' ? Object.keys(option?.shape ?? {}) : [];
    return issue.keys
      .map((key) => {
        const close = nearest(key, known);
        return `"${path === '' ? '' : `${path}.`}${key}" is no field of "${name}"${close ? `; did you mean "${close}"?` : '.'}`;
      })
      .join(' ');
  }
  const found = issue.path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    object,
  );
  if (found === undefined) return `"${path}" of "${name}" is missing.`;
  return `"${path}": ${issue.message} (found ${preview(JSON.stringify(found) ?? String(found), 80)}).`;
}
