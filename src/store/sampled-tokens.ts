import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { Ref, SampledTokens } from '../contract/step';
import type { BlobStore } from './blobs';

/** As it lies in a blob. A prompt that begins with an earlier call's prompt and answer holds only what follows them. */
const Stored = SampledTokens.extend({ kind: z.literal('sampled'), after: Ref.optional() });
type Stored = z.infer<typeof Stored>;

/** Ids that are held at once. */
const MOST_IDS = 4_000_000;

/**
 * The tokens of answered calls, a blob each beside the chain. Prompts of a run repeat one another, so that whole ones would
 * grow with the square of its turns: each is kept as what it adds to the call before it.
 */
export class SampledTokensStore {
  private readonly known = new LRUCache<string, SampledTokens>({
    maxSize: MOST_IDS,
    sizeCalculation: ({ prompt, answer }) => Math.max(1, (prompt?.length ?? 0) + answer.length),
  });

  constructor(private readonly blobs: BlobStore) {}

  /**
   * Keeps tokens; `before` are those of the call whose prompt and answer this prompt is likely to begin with. Safe to repeat:
   * the same tokens after the same ones are the same blob.
   */
  async keep(tokens: SampledTokens, before?: Ref): Promise<Ref> {
    const delta = before && (await this.delta(tokens, before));
    const ref = await this.blobs.put(JSON.stringify({ kind: 'sampled', ...tokens, ...delta } satisfies Stored));
    this.known.set(ref.sha256, tokens);
    return ref;
  }

  /** Throws `NotFound` where a blob is missing, and a `ZodError` or `SyntaxError` where one cannot be read. */
  async read({ sha256 }: Ref): Promise<SampledTokens> {
    const behind: { readonly sha256: string; readonly stored: Stored }[] = [];
    let at: string | undefined = sha256;
    let tokens: SampledTokens | undefined;
    while (at !== undefined && !tokens) {
      const found: SampledTokens | undefined = this.known.get(at);
      if (found) tokens = found;
      else {
        const stored: Stored = Stored.parse(JSON.parse((await this.blobs.get(at)).toString('utf8')));
        behind.push({ sha256: at, stored });
        at = stored.after?.sha256;
      }
    }
    for (const { sha256: name, stored } of behind.reverse()) {
      const { kind: _, after, prompt, ...rest } = stored;
      const whole = after && prompt ? [...sequenceOf(tokens!), ...prompt] : prompt;
      tokens = { ...rest, ...(whole ? { prompt: whole } : {}) };
      this.known.set(name, tokens);
    }
    return tokens!;
  }

  private async delta({ prompt }: SampledTokens, after: Ref): Promise<Pick<Stored, 'after' | 'prompt'> | undefined> {
    // What cannot be read any more is no reason to lose an answer that was paid for.
    const before = await this.read(after).catch(() => undefined);
    if (!before?.prompt || !prompt) return undefined;
    const start = sequenceOf(before);
    return beginsWith(prompt, start) ? { after, prompt: prompt.slice(start.length) } : undefined;
  }
}

function sequenceOf({ prompt = [], answer }: SampledTokens): number[] {
  return prompt.concat(answer);
}

function beginsWith(ids: readonly number[], start: readonly number[]): boolean {
  return start.length <= ids.length && start.every((id, i) => ids[i] === id);
}
