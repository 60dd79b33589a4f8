import type { Columns, ColumnType } from './exporters/columns';
import type { DataRecord } from './exporters/exporter';
import { wellFormedJson } from './text-marks';

// Both packages are ES modules only, whose types a CommonJS file has to ask for in so many words.
type SchemaElement = import('hyparquet', { with: { 'resolution-mode': 'import' }}).SchemaElement;
type ParquetWriter = import('hyparquet-writer', { with: { 'resolution-mode': 'import' }}).ParquetWriter;
type Writer = import('hyparquet-writer', { with: { 'resolution-mode': 'import' }}).Writer;

/** Where bytes go, in order. */
type Sink = (bytes: Uint8Array) => Promise<void>;

/** Characters of a row group's records as JSON: what is held in memory, several times over, while one is encoded. */
const GROUP_CHARS = 8 << 20;

/**
 * A Parquet file that is written row group by row group, so that memory does not grow with it. The same records give the same
 * bytes. Its schema also stands in it as Hugging Face's `datasets` names types, which is how `json` values come back as they
 * were.
 */
export class ParquetFile {
  private records: DataRecord[] = [];
  private chars = 0;

  private constructor(
    private readonly columns: Columns,
    private readonly writer: ParquetWriter,
    private readonly flushed: () => Promise<void>,
  ) {}

  static async create(columns: Columns, sink: Sink): Promise<ParquetFile> {
    const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
    const bytes = new ByteWriter(1 << 20) as Writer & { index: number };
    const drain = async () => {
      const chunk = bytes.getBytes().slice();
      bytes.index = 0;
      await sink(chunk);
    };
    const features = { info: { features: featuresOf(columns) } };
    const writer = new ParquetWriter({
      writer: bytes,
      schema: schemaOf(columns),
      statistics: false,
      createdBy: 'pointsman',
      kvMetadata: [{ key: 'huggingface', value: JSON.stringify(features) }],
    });
    return new ParquetFile(columns, writer, drain);
  }

  /** A record as `jsonLine` writes it. */
  async add(line: string): Promise<void> {
    this.records.push(JSON.parse(line) as DataRecord);
    this.chars += line.length;
    if (this.chars >= GROUP_CHARS) await this.writeGroup();
  }

  async finish(): Promise<void> {
    if (this.records.length > 0) await this.writeGroup();
    await this.writer.finish();
    await this.flushed();
  }

  private async writeGroup(): Promise<void> {
    const { records } = this;
    const columnData = Object.keys(this.columns).map((name) => ({ name, data: records.map((record) => record[name]) }));
    this.records = [];
    this.chars = 0;
    await this.writer.write({ columnData, rowGroupSize: records.length });
    await this.flushed();
  }
}

/** Elements in the order of a walk from the root, as Parquet lists them. */
function schemaOf(columns: Columns): SchemaElement[] {
  const names = Object.keys(columns);
  return [
    { name: 'schema', num_children: names.length },
    ...names.flatMap((name) => elements(name, columns[name]!.type)),
  ];
}

function elements(name: string, type: ColumnType): SchemaElement[] {
  const optional = { name, repetition_type: 'OPTIONAL' } as const;
  if (typeof type === 'string') return [{ ...optional, ...LEAVES[type] }];
  if ('struct' in type) {
    const names = Object.keys(type.struct);
    return [
      { ...optional, num_children: names.length },
      ...names.flatMap((child) => elements(child, type.struct[child]!.type)),
    ];
  }
  return [
    { ...optional, num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...elements('element', type.list),
  ];
}

const LEAVES = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
  bool: { type: 'BOOLEAN' },
  int: { type: 'INT32' },
  double: { type: 'DOUBLE' },
} as const;

const FEATURES = { string: 'string', bool: 'bool', int: 'int32', double: 'float64' } as const;

function featuresOf(columns: Columns): Record<string, unknown> {
  return Object.fromEntries(Object.entries(columns).map(([name, { type }]) => [name, featureOf(type)]));
}

function featureOf(type: ColumnType): unknown {
  if (type === 'json') return { decode: true, _type: 'Json' };
  if (typeof type === 'string') return { dtype: FEATURES[type], _type: 'Value' };
  return 'struct' in type ? featuresOf(type.struct) : { feature: featureOf(type.list), _type: 'List' };
}

/** A record as one line of JSONL, its end included: valid JSON that is valid UTF-8, whatever the texts hold. */
export function jsonLine(record: DataRecord): string {
  return `${wellFormedJson(JSON.stringify(record), new Set())}\n`;
}
