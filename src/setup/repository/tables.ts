// @ts-expect-error TS1479: it ships a CommonJS build, but its types are declared for ES modules only.
import { parse } from 'smol-toml';

/** A table of whatever people wrote: what is taken from it is checked where it is taken. */
export type Table = Readonly<Record<string, unknown>>;

/** Empty for what is no table. */
export function tablesOf(value: unknown): Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : {};
}

/** Texts of a list; anything else in it is left out. */
export function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Empty where the text is none: a broken file is the project's own matter, and its build will say so. */
export function readToml(text: string | undefined): Table {
  try {
    return tablesOf(parse(text ?? ''));
  } catch {
    return {};
  }
}

export function readJson(text: string | undefined): Table {
  try {
    return tablesOf(JSON.parse(text || '{}'));
  } catch {
    return {};
  }
}
