/**
 * A file or folder that somebody sent along as a blob, in place of a path that only one host has: `blob:SHA256/PATH`, with the
 * path that it had for him.
 */
export interface KeptPath {
  readonly sha256: string;
  readonly path: string;
}

const KEPT = /^blob:([0-9a-f]{64})(\/.+)$/s;

/** Undefined for any other text, which is a path of a host. */
export function keptPath(text: string): KeptPath | undefined {
  const [, sha256, path] = KEPT.exec(text) ?? [];
  return sha256 === undefined || path === undefined ? undefined : { sha256, path };
}

export function nameKept({ sha256, path }: KeptPath): string {
  return `blob:${sha256}${path}`;
}
