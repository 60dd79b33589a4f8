const DIMENSIONS = 256;

/**
 * A bag of words hashed into a unit vector: the same text gives the same vector, texts that share words lie close. Good
 * enough to rehearse retrieval and analyses; it knows nothing about meaning.
 */
function embed(text: string, dimensions = DIMENSIONS): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []) {
    const hash = fnv1a(word);
    const at = hash % dimensions;
    vector[at] = vector[at]! + (hash & 0x8000_0000 ? -1 : 1);
  }
  const norm = Math.hypot(...vector);
  if (norm > 0) return vector.map((value) => value / norm);
  // No words, or words that cancel out: some unit vector, always the same.
  vector[0] = 1;
  return vector;
}

/** Little-endian float32, as the `openai` client asks for by default. */
function asBase64(vector: readonly number[]): string {
  return Buffer.from(new Float32Array(vector).buffer).toString('base64');
}

function fnv1a(word: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(word)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** The body of an answer to POST /v1/embeddings. */
export function embeddingsOf(body: {
  input?: unknown;
  model?: unknown;
  dimensions?: unknown;
  encoding_format?: unknown;
}): unknown {
  const inputs = (Array.isArray(body.input) ? body.input : [body.input]).map(String);
  const dimensions = typeof body.dimensions === 'number' ? body.dimensions : undefined;
  const tokens = Math.ceil(inputs.join('').length / 4);
  const data = inputs.map((input, index) => {
    const vector = embed(input, dimensions);
    return { object: 'embedding', index, embedding: body.encoding_format === 'base64' ? asBase64(vector) : vector };
  });
  const model = `rehearsal/${String(body.model).replace(/^rehearsal\//, '')}`;
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}
