import { dollars, duration, grouped } from '../figures';
import type { Cell, Kind } from './data';

/** A share from 0 to 1, with one digit: `47.3 %`. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}\u00a0%`;
}

/** `47.3 % (41.0 to 53.5)`. */
export function percentIn({ value, low, high }: { value: number; low: number; high: number }): string {
  return `${percent(value)} (${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)})`;
}

/** Three digits that say something. */
export function figure(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) return value.toExponential(2);
  return size >= 100 ? grouped(Math.round(value)) : value.toPrecision(3);
}

/** `identical_actions` as people write it. */
export function spaced(name: string): string {
  return name.replaceAll('_', ' ');
}

/** Of a few things, the whole list; of many, the first and how many more. */
export function listed(names: readonly string[], most = 6): string {
  const shown = names.length <= most ? names : [...names.slice(0, most), `${names.length - most} more`];
  if (shown.length < 2) return shown[0] ?? 'none';
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

export function cellText(cell: Cell, kind: Kind): string {
  if (cell === null) return '–';
  if (typeof cell === 'string') return kind === 'word' ? spaced(cell) : cell;
  switch (kind) {
    case 'count':
      return grouped(cell);
    case 'share':
      return percent(cell);
    case 'usd':
      return dollars(cell);
    case 'seconds':
      return duration(cell * 1000);
    case 'bytes':
      return bytes(cell);
    case 'number':
      return figure(cell);
    case 'text':
    case 'word':
    case 'id':
    case 'moment':
      return String(cell);
    default:
      throw new TypeError(`unknown kind ${kind satisfies never}`);
  }
}

function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  return count < 1e6 ? `${(count / 1e3).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}
