export type GgufValue = string | number | readonly string[] | readonly number[];

/** A GGUF file of version 3 with these values and no weights: numbers are int32. */
export function ggufFile(values: Readonly<Record<string, GgufValue>>): Buffer {
  const u32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const i32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    return bytes;
  };
  const u64 = (value: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    return bytes;
  };
  const text = (value: string) => [u64(Buffer.byteLength(value)), Buffer.from(value)];
  const single = (value: string | number) => (typeof value === 'string' ? text(value) : [i32(value)]);
  const typeOf = (value: string | number | undefined) => u32(typeof value === 'string' ? 8 : 5);
  const entries = Object.entries(values).flatMap(([key, value]) =>
    typeof value === 'object'
      ? [...text(key), u32(9), typeOf(value[0]), u64(value.length), ...value.flatMap(single)]
      : [...text(key), typeOf(value), ...single(value)],
  );
  return Buffer.concat([Buffer.from('GGUF'), u32(3), u64(0), u64(Object.keys(values).length), ...entries]);
}
