/** What `cksum` prints for a text on standard input: POSIX's CRC and the number of bytes, so that a shell can compare. */
export function posixCksum(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let crc = 0;
  const take = (byte: number) => {
    crc = ((crc << 8) ^ TABLE[((crc >>> 24) ^ byte) & 0xff]!) >>> 0;
  };
  for (const byte of bytes) take(byte);
  for (let length = bytes.length; length > 0; length = Math.floor(length / 256)) take(length & 0xff);
  return `${~crc >>> 0} ${bytes.length}`;
}

const TABLE = Array.from({ length: 256 }, (_, index) => {
  let crc = index << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc >>> 0;
});
