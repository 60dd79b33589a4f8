import { randomUUID } from 'node:crypto';
import { promptsFor } from '../../activities/prompts';
import type { ChatRequest, ModelProfile, RawReply, SeenStep, Transcript } from '../../contract';
import { isPointsmanError } from '../../contract';
import {
  type ChatAnswer,
  createChatModel,
  estimatePromptTokens,
  type FreshAnswer,
  type Remedy,
  remedyFor,
  servedWindow,
  windowIn,
} from '../../model';
import { DIALECTS } from '../../rollout/dialects';
import { splitReasoning } from '../../rollout/reasoning';
import { renderRequest } from '../../rollout/render';
import type { Change, Checked, CheckedRequest } from '../terminal/model-check';

/** Longer than this a person does not wait for one answer of a check. */
const PATIENCE_SECONDS = 300;
/** Settings that one request is tried with. */
const MOST_MENDED = 4;
const WORKDIR = '/testbed';
const FIRST = 'This is a check of the connection, not a task. Run `echo ready` with bash, then submit.';
const LONG =
  'This is a check of the connection, not a task. First count from 1 to 300 in words, in your reasoning; then run `echo ready` with bash.';

/**
 * Sends what a rollout sends: the prompts, dialect and tools of the profile, a second turn with an observation, and a long
 * answer; with `overflow` also a prompt that cannot fit. A refusal that a setting mends is tried again with it, and the
 * setting is said. Never throws: what went wrong is the answer.
 */
export async function checkModel(
  name: string,
  profile: ModelProfile,
  { env, overflow }: { readonly env: NodeJS.ProcessEnv; readonly overflow: boolean },
): Promise<Checked> {
  const check = new Check(name, profile, env);
  await check.run(overflow);
  return check.result();
}

class Check {
  private profile: ModelProfile;
  private readonly changes: Change[] = [];
  private readonly requests: CheckedRequest[] = [];
  private first: ChatAnswer | undefined;
  private action: boolean | null = null;
  private tokens: string | null = null;
  private contextFound: number | undefined;
  private failure: { error: string; hint: string | null } | undefined;

  constructor(
    private readonly name: string,
    private readonly configured: ModelProfile,
    private readonly env: NodeJS.ProcessEnv,
  ) {
    this.profile = { ...configured, timeoutSeconds: Math.min(configured.timeoutSeconds, PATIENCE_SECONDS) };
  }

  async run(overflow: boolean): Promise<void> {
    try {
      const transcript = opened(FIRST);
      const first = await this.ask('first turn', this.render(transcript));
      if (first) {
        this.first = first;
        this.readFirst(first);
        const second = { ...transcript, steps: [this.step(first)] };
        const next = await this.ask('second turn', this.render(second));
        if (next) {
          // How it is asked is learned from the first.
          await this.readTokens(next);
          const long = await this.ask('long answer', this.render(opened(LONG)));
          if (long) this.readLong(long);
        }
        this.found(await servedWindow(this.profile, { name: this.name, env: this.env }));
        if (overflow) await this.overflow();
      }
    } catch (error) {
      this.fail(error);
    }
    this.readContext();
  }

  result(): Checked {
    const { name, configured, first, failure, changes } = this;
    return {
      name,
      ok: failure === undefined && !changes.some(({ needed }) => needed),
      model: first?.model ?? configured.model,
      latencyMs: first?.latencyMs ?? null,
      action: this.action,
      toolCall: first ? first.reply.toolCalls.length > 0 : null,
      tokens: this.tokens,
      priced: configured.price !== undefined,
      contextTokens: configured.contextTokens,
      contextFound: this.contextFound ?? null,
      requests: this.requests,
      changes,
      error: failure?.error ?? null,
      hint: failure?.hint ?? null,
    };
  }

  private render(transcript: Transcript): ChatRequest {
    const { view } = this.profile;
    return renderRequest(transcript, view, promptsFor(view));
  }

  /** One request; again with each setting that its refusals name. Undefined where it is refused for good. */
  private async ask(what: CheckedRequest['what'], request: ChatRequest): Promise<FreshAnswer | undefined> {
    const tried: Change[] = [];
    let again = false;
    for (;;) {
      try {
        const answer = await this.complete(request);
        const { latencyMs, reply } = answer;
        this.requests.push({ what, ok: true, latencyMs, finishReason: reply.finishReason ?? null });
        this.changes.push(...tried);
        return answer;
      } catch (error) {
        // As in a rollout, one reset of a connection is nothing.
        const passing = isPointsmanError(error) && error.code === 'ModelUnreachable' && this.first && !again;
        const mended = passing || tried.length >= MOST_MENDED ? undefined : this.mend(error);
        if (passing) again = true;
        else if (mended) tried.push(mended);
        else {
          this.requests.push({ what, ok: false, latencyMs: null, finishReason: null });
          this.fail(error);
          return undefined;
        }
      }
    }
  }

  private complete(request: ChatRequest): Promise<FreshAnswer> {
    const model = createChatModel(this.profile, { name: this.name, env: this.env });
    return model.complete(request, { requestId: `models-check/${randomUUID()}` });
  }

  /** Takes up the setting that mends this refusal; undefined where there is none, or it is set already. */
  private mend(error: unknown): Change | undefined {
    if (!isPointsmanError(error)) return undefined;
    const cut = ['ModelUnreachable', 'ModelTimeout', 'ModelServerError', 'ModelMalformed'].includes(error.code);
    // A gateway that cuts silent connections leaves one that speaks.
    const speaks: Remedy['setting'] = cut && this.first && !this.profile.stream ? { stream: true } : undefined;
    const setting =
      speaks ?? (error.code === 'ModelRejected' ? remedyFor(error.message, this.profile.stream)?.setting : undefined);
    if (!setting) return undefined;
    const { extraBody = {}, ...own } = setting;
    const next = { ...this.profile, ...own, extraBody: { ...this.profile.extraBody, ...extraBody } };
    if (JSON.stringify(next) === JSON.stringify(this.profile)) return undefined;
    this.profile = next;
    return { setting: written(setting), why: error.message, needed: true };
  }

  private fail(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.failure ??= { error: text, hint: isPointsmanError(error) ? error.hint : null };
  }

  private advise(setting: string, why: string, needed = false): void {
    if (!this.changes.some((change) => change.setting === setting)) this.changes.push({ setting, why, needed });
  }

  private readFirst({ reply, streamed, estimated }: ChatAnswer): void {
    const { dialect } = this.profile.view;
    const parsed = DIALECTS[dialect].parse(reply, this.profile.view);
    this.action = parsed.ok;
    const elsewhere = parsed.ok && parsed.lenient?.some((kind) => kind === 'call_as_text' || kind === 'native_call');
    if (streamed && !this.profile.stream) {
      this.advise('stream: true', 'the server answers in a stream whatever it is asked for');
    }
    const lost = parsed.ok && !elsewhere ? undefined : lostAction(dialect, reply);
    if (lost) this.advise(lost.setting, lost.why, !parsed.ok);
    else if (!parsed.ok) {
      const [problem] = parsed.error.observation.split('\n');
      this.advise(
        'view: another dialect, or another model',
        `the first answer held no action in the dialect ${dialect} (${parsed.error.code}: ${problem})`,
      );
    }
    const reasoning = reasoningIn(reply);
    if (reasoning > 0) {
      this.advise(
        'extraBody: { chat_template_kwargs: { enable_thinking: false } }',
        `reasoning is on: ${reasoning} characters before the answer, which count into maxOutputTokens (${this.profile.maxOutputTokens}). Leave it on and give it room, or switch it off where the server knows this field`,
      );
    }
    if (reply.finishReason === 'length') {
      this.advise(
        `maxOutputTokens: more than ${this.profile.maxOutputTokens}`,
        'the first answer was cut by the limit of the answer',
        true,
      );
    }
    if (estimated) {
      this.advise(
        'the server should send usage',
        'it reports no tokens: usage, costs and contextTokens go by estimates from bytes',
      );
    }
  }

  /** What there is of tokens, and whether llama.cpp's condition is what stands before more. */
  private async readTokens({ tokens, sampled }: FreshAnswer): Promise<void> {
    const { keepTokens, extraBody } = this.profile;
    if (!keepTokens) return;
    const missing = sampled?.dropped ?? [];
    this.tokens = missing.length === 0 && tokens ? 'all' : missing.join('; ');
    if (tokens?.logprobs || 'top_logprobs' in extraBody) return;
    const asking = { ...this.profile, extraBody: { ...extraBody, top_logprobs: 1 } };
    const model = createChatModel(asking, { name: this.name, env: this.env });
    const answer = await model
      .complete(this.render(opened(FIRST)), { requestId: `models-check/${randomUUID()}` })
      .catch(() => undefined);
    if (!answer?.tokens?.logprobs) return;
    this.tokens = answer.sampled?.dropped?.join('; ') ?? 'all';
    this.advise('extraBody: { top_logprobs: 1 }', 'the server gives ids and log-probabilities only with alternatives');
  }

  private readLong({ reply }: ChatAnswer): void {
    if (reply.finishReason !== 'length') return;
    this.advise(
      `maxOutputTokens: more than ${this.profile.maxOutputTokens}`,
      'a long answer is cut by the limit of the answer, or by the context that the server has left for it',
    );
  }

  /** The second turn shows a call without a thought, so that its content is empty, and then an observation. */
  private step({ reply, model, usage }: ChatAnswer): SeenStep {
    const { dialect } = this.profile.view;
    const action = { tool: 'bash', args: { command: 'echo ready' } };
    return {
      turn: {
        kind: 'turn',
        turn: 1,
        author: 'student',
        profile: this.name,
        model,
        dialect,
        reply,
        thought: '',
        action,
        rejected: [],
        usage,
      },
      observation: 'ready\n',
      exitCode: 0,
      timedOutAfter: null,
      elidedBytes: 0,
    };
  }

  /** A prompt that is certainly longer than `contextTokens`: what the server says must be known as an overflow. */
  private async overflow(): Promise<void> {
    const request = this.render(
      opened(`${FIRST}\n\n${'one two three four five '.repeat(this.profile.contextTokens / 4)}`),
    );
    try {
      const { usage, latencyMs, reply, estimated } = await this.complete(request);
      this.requests.push({ what: 'overflow', ok: true, latencyMs, finishReason: reply.finishReason ?? null });
      if (!estimated && usage.promptTokens < this.profile.contextTokens) {
        this.found(usage.promptTokens);
        this.advise(
          `contextTokens: ${usage.promptTokens}`,
          `the server cuts a prompt that does not fit and says nothing: of about ${estimatePromptTokens(request)} tokens it read ${usage.promptTokens}. Raise its context length (Ollama: num_ctx), or lower contextTokens`,
          true,
        );
      }
    } catch (error) {
      const known = isPointsmanError(error) && error.code === 'ContextWindowExceeded';
      this.requests.push({ what: 'overflow', ok: known, latencyMs: null, finishReason: null });
      if (!known) return this.fail(error);
      const window = windowIn(error.message);
      if (window !== undefined) this.contextFound = window;
    }
  }

  private found(tokens: number | undefined): void {
    this.contextFound ??= tokens;
  }

  private readContext(): void {
    const { contextFound: window } = this;
    if (window === undefined || window >= this.configured.contextTokens) return;
    this.advise(
      `contextTokens: ${window}`,
      `the server has ${window} tokens, the profile says ${this.configured.contextTokens}`,
    );
  }
}

function opened(statement: string): Transcript {
  return { opening: { kind: 'opening', problemId: 'models-check', statement, workdir: WORKDIR }, steps: [] };
}

/** Calls as models write them where nobody takes them out of the text. */
const CALL_AS_TEXT =
  /<tool_call>|<\|python_tag\|>|\[TOOL_CALLS\]|<function[=_ ]|<\|tool_calls?_?(begin|section)|"(name|function)"\s*:\s*"(bash|submit|str_replace_editor)"/;

function lostAction(
  dialect: ModelProfile['view']['dialect'],
  { content, toolCalls }: RawReply,
): Omit<Change, 'needed'> | undefined {
  const text = content ?? '';
  if (dialect === 'tools') {
    if (toolCalls.length > 1) {
      return {
        setting: 'extraBody: { parallel_tool_calls: false }',
        why: `the model makes several calls at once (${toolCalls.length}), and a turn is one`,
      };
    }
    if (toolCalls.length > 0) return undefined;
    return CALL_AS_TEXT.test(text)
      ? {
          setting: 'start the server with its parser of tool calls, or view: { dialect: xml }',
          why: 'the model called a tool, but the call came as text: the server takes none out of it (vLLM: --enable-auto-tool-choice --tool-call-parser; SGLang: --tool-call-parser; llama.cpp: --jinja)',
        }
      : {
          setting: 'view: { dialect: xml } or { dialect: backticks }',
          why: 'the model answered without a call: it may not be trained on calls of this protocol',
        };
  }
  if (toolCalls.length === 0) return undefined;
  return {
    setting: 'start the server without its parser of tool calls, or view: { dialect: tools }',
    why: 'the server takes calls out of the text that this dialect reads',
  };
}

/** Characters of reasoning, wherever the server put it. */
function reasoningIn({ content, reasoning }: RawReply): number {
  return (reasoning ?? '').length + splitReasoning(content ?? '').reasoning.length;
}

function written(setting: object): string {
  return Object.entries(setting)
    .map(([name, value]) => `${name}: ${typeof value === 'object' ? yamlOf(value) : String(value)}`)
    .join(', ');
}

function yamlOf(value: object): string {
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${name}: ${JSON.stringify(inner)}`)
    .join(', ')} }`;
}

/**
 * Profiles in the order in which they are checked: those of one server one after the other, because a local one has one
 * place, and servers side by side.
 */
export function byServer(profiles: readonly (readonly [name: string, profile: ModelProfile])[]) {
  const servers = new Map<string, (readonly [string, ModelProfile])[]>();
  for (const entry of profiles) {
    const [, { baseUrl, provider }] = entry;
    const server = baseUrl === undefined ? provider : new URL(baseUrl).host;
    servers.set(server, [...(servers.get(server) ?? []), entry]);
  }
  return [...servers.values()];
}
