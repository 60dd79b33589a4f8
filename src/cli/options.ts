import { InvalidArgumentError } from 'commander';
import type { HandOverPolicy } from '../contract';

/** `6`, `0..30`, `never`, or a policy as JSON. */
export function handOverOption(text: string): HandOverPolicy {
  if (/^\d+$/.test(text)) return { at: Number(text) };
  const range = /^(\d+)\.\.(\d+)$/.exec(text);
  if (range) return { uniform: [Number(range[1]), Number(range[2])] };
  if (text === 'never') return { never: true };
  if (text.startsWith('{')) return json(text) as HandOverPolicy;
  throw new InvalidArgumentError('expected a turn (6), a range to draw from (0..30), "never", or a policy as JSON.');
}

export function wholeOption(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('expected a whole number from 0.');
  return Number(text);
}

export function dollarsOption(text: string): number {
  const value = Number(text.replace(/^\$/, ''));
  if (!(value > 0)) throw new InvalidArgumentError('expected USD, like 2.50.');
  return value;
}

/** `90`, `30s`, `5m`, `2h`, `1d`: seconds. */
export function secondsOption(text: string): number {
  const found = /^(\d+(?:\.\d+)?)\s*([smhd]?)$/.exec(text);
  const unit = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 }[found?.[2] ?? ''];
  if (!found || unit === undefined) throw new InvalidArgumentError('expected a duration, like 30s, 5m, 2h or 1d.');
  return Number(found[1]) * unit;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`not JSON: ${(error as Error).message}`);
  }
}
