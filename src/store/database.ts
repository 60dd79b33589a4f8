/** Parameters are text, numbers, truth values and null: lists and vectors travel as text and are cast in SQL. */
export type Parameter = string | number | boolean | null;

export interface Statement {
  readonly sql: string;
  readonly parameters?: readonly Parameter[];
}

export type Row = Readonly<Record<string, unknown>>;

/**
 * A Postgres, wherever it runs. Statements of one `run` are one transaction, sent in one piece: no transaction waits for its
 * client, so a client that dies leaves none behind. What is written is made to be repeatable, because after a lost
 * connection the same statements are sent again.
 */
export interface Database {
  /** The rows of each statement. Throws `Unavailable` when the database cannot be reached. */
  run(statements: readonly Statement[]): Promise<Row[][]>;
  close(): Promise<void>;
  /** Gives up what it holds, unless something runs; the next `run` opens it again. Absent where little is held. */
  rest?(): Promise<void>;
  /** For people: where it is. */
  readonly name: string;
}

export function statement(sql: string, ...parameters: readonly Parameter[]): Statement {
  // Postgres has no NUL in a text.
  return { sql, parameters: parameters.map((each) => (typeof each === 'string' ? each.replaceAll('\0', '') : each)) };
}

/** JSON that Postgres takes: without NULs and halves of characters, which its jsonb refuses. */
export function json(value: unknown): string {
  return JSON.stringify(value).replace(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g, (found) =>
    found === '\\\\' ? found : '\ufffd',
  );
}
