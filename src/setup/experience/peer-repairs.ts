export type Row = Record<string, unknown>;

/** What was done to one row: a note for each change, and what did not fit, in fields of its own beside. */
export class Repairs {
  readonly notes: string[] = [];
  readonly beside: Row = {};

  constructor(private readonly row: Row) {}

  note(what: string): void {
    this.notes.push(what);
  }

  /** Items that did not fit; a field of that name that the row brought along keeps its own. */
  keepItems(field: string, items: readonly unknown[], why: string): void {
    if (items.length === 0) return;
    this.beside[field] = [...items, ...list(this.beside[field] ?? this.row[field])];
    this.note(`${why}, kept in ${field}: ${shown(items)}`);
  }

  /** A value that is not what its field holds. */
  keepValue(field: string, value: unknown, why: string): void {
    const before = this.row[field];
    this.beside[field] = before === undefined ? value : [value, before];
    this.note(`${why}, kept in ${field}: ${shown([value])}`);
  }

  /** A value that has to be an object; anything else is kept beside. */
  object(value: unknown, name: string): Row {
    if (value === undefined || value === null || isObject(value)) return object(value);
    this.keepValue(`${name}_unreadable`, value, `${name} was no object`);
    return {};
  }

  /** The texts of a list, without the space around them; what is none goes to `unreadable`. */
  texts(value: unknown, name: string, { trim = true } = {}): { texts: string[]; unreadable: unknown[] } {
    if (value !== undefined && value !== null && !Array.isArray(value)) this.note(`${name} was no list`);
    const unreadable: unknown[] = [];
    let changed = 0;
    const texts = list(value).flatMap((item) => {
      const whole = typeof item === 'number' ? String(item) : item;
      const text = typeof whole === 'string' && trim ? whole.trim() : whole;
      if (typeof text === 'string' && text.trim() !== '') {
        changed += text === item ? 0 : 1;
        return [text];
      }
      unreadable.push(item);
      return [];
    });
    if (changed > 0) this.note(`${changed} ${name} were numbers or had space around them`);
    return { texts, unreadable };
  }
}

export function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function object(value: unknown): Row {
  return isObject(value) ? value : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

/** The first of some items, for a note. */
function shown(items: readonly unknown[]): string {
  const first = items.slice(0, 5).map((item) => {
    const text = JSON.stringify(item) ?? String(item);
    return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
  });
  return `${first.join(', ')}${items.length > 5 ? ` and ${items.length - 5} more` : ''}`;
}
