import { randomBytes } from 'node:crypto';
import { PointsmanError } from '../contract';

export interface PayloadKey {
  readonly id: string;
  /** 32 of them. */
  readonly bytes: Buffer;
}

const KEY = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/_-]{43}=?)$/;

/**
 * The keys that a variable holds: `ID:BASE64` of 32 bytes, several with commas between them. The first encrypts, all decrypt:
 * a new key goes to the front, and the old one stays for as long as histories of its time are kept. Throws `InvalidInput`,
 * without the text, which is a secret.
 */
export function readKeys(variable: string, value: string | undefined): PayloadKey[] {
  const wrong = (what: string) =>
    new PointsmanError('InvalidInput', `${variable}: ${what}`, 'Make a key with `pointsman codec key`.');
  if (!value?.trim()) throw wrong('it is not set, and payloads.keysEnv of the configuration names it');
  const keys = value.split(',').map((each, at): PayloadKey => {
    const [, id, base64] = KEY.exec(each.trim()) ?? [];
    if (!id || !base64) throw wrong(`key ${at + 1} is not ID:BASE64 of 32 bytes`);
    return { id, bytes: Buffer.from(base64, 'base64') };
  });
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw wrong('two keys have the same id');
  return keys;
}

/** A new one, as the variable holds it; named after the day, so that one sees which is the newest. */
export function newKey(today: Date): string {
  return `k${today.toISOString().slice(0, 10)}:${randomBytes(32).toString('base64')}`;
}
