const CLIP_BYTES = 2048;

/** Shapes of credentials that providers echo in their own words, beside the exact values that we know. */
const SHAPES: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[^\s"',;]+/gi, '$1 [redacted]'],
  [/\b(sk|pk|rk|gsk|hf|xai|nvapi|key|ghp|glpat)[-_][A-Za-z0-9_*.-]{6,}/g, '$1-[redacted]'],
  [/\bAIza[A-Za-z0-9_-]{10,}/g, '[redacted]'],
  [/((?:api[-_]?key|access[-_]?token|authorization)["']?\s*[:=]\s*["']?)[^\s"'&,;}]+/gi, '$1[redacted]'],
  [/\/\/[^/\s:@]+:[^/\s@]+@/g, '//[redacted]@'],
];

/** `text` without any of `secrets` and without anything that has the shape of a credential. */
function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < 4) continue;
    for (const form of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])) {
      clean = clean.split(form).join('[redacted]');
    }
  }
  for (const [shape, replacement] of SHAPES) clean = clean.replace(shape, replacement);
  return clean;
}

/**
 * A server's words made fit for an error message: tags of an HTML page and control characters out, secrets out, at most
 * 2 KB. Secrets go first: a key that the cut would halve is no longer recognised.
 */
export function quotable(text: string, secrets: readonly string[] = [], maxBytes = CLIP_BYTES): string {
  const plain = /<(!doctype|html|head|body)\b/i.test(text)
    ? text.replace(/<(script|style)(?:(?!<\1)[\s\S])*?<\/\1>/gi, ' ').replace(/<[^<>]*>/g, ' ')
    : text;
  const clean = redact(plain, secrets)
    .replace(/[\p{Cc}\p{Surrogate}\s]+/gu, ' ')
    .trim();
  const bytes = Buffer.from(clean);
  if (bytes.length <= maxBytes) return clean;
  return `${bytes
    .subarray(0, maxBytes - 8)
    .toString('utf8')
    .replace(/(?<!\uFFFD)\uFFFD+$/, '')}…`;
}
