/**
 * The shape of a format's records for Parquet, where every column has one type; any value may be absent. `json` is a value of
 * any shape, kept as JSON text and read back as the value.
 */
export type ColumnType =
  | 'string'
  | 'bool'
  | 'int'
  | 'double'
  | 'json'
  | { readonly list: ColumnType }
  | { readonly struct: Columns };

export type Columns = Readonly<Record<string, { readonly type: ColumnType }>>;
