import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import fc from 'fast-check';
import { decoded, newKey, PayloadCipher } from '../../src/payloads';
import { readKeys } from '../../src/payloads/keys';

const keyed = (...values: string[]) => new PayloadCipher(readKeys('KEYS', values.join(',')));
const [first, second] = [`first:${Buffer.alloc(32, 1).toString('base64')}`, newKey(new Date('2026-11-26'))];
const payloadOf = (value: unknown) => defaultPayloadConverter.toPayload(value) as Payload;

test('what was encrypted is read back, value for value, and nothing of it is seen', async () => {
  const cipher = keyed(first);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 4 }), async (values) => {
      const clear = values.map(payloadOf);
      const sealed = await cipher.encode(clear);
      const read = await cipher.decode(sealed);
      expect(read.map((each) => defaultPayloadConverter.fromPayload(each))).toEqual(
        clear.map((each) => defaultPayloadConverter.fromPayload(each)),
      );
      for (const [at, each] of sealed.entries()) {
        // A few bytes stand in any cipher text by chance.
        if (clear[at]!.data!.length >= 8)
          expect(Buffer.from(each.data!).includes(Buffer.from(clear[at]!.data!))).toBe(false);
        expect(Object.keys(each.metadata!)).toEqual(['encoding', 'encryption-key-id']);
      }
    }),
  );
});

test('the same value is never the same bytes twice', async () => {
  const [one, two] = await keyed(first).encode([payloadOf('a'), payloadOf('a')]);
  expect(one!.data).not.toEqual(two!.data);
});

test('the first key encrypts, all decrypt, and clear text is read as it is', async () => {
  const old = await keyed(first).encode([payloadOf('old')]);
  const both = keyed(second, first);
  const fresh = await both.encode([payloadOf('new')]);
  const read = await both.decode([...old, ...fresh, payloadOf('clear')]);
  expect(read.map((each) => defaultPayloadConverter.fromPayload(each))).toEqual(['old', 'new', 'clear']);
  await expect(keyed(first).decode(fresh)).rejects.toMatchObject({
    code: 'InvalidInput',
    message: 'the payload is encrypted with the key "k2026-11-26", which is not known here',
  });
  await expect(new PayloadCipher([]).decode(old)).rejects.toMatchObject({ code: 'InvalidInput' });
});

test.each([
  ['a byte of it', (bytes: Buffer) => bytes.fill(bytes[14]! ^ 1, 14, 15)],
  ['its end', (bytes: Buffer) => bytes.subarray(0, -1)],
  ['nearly all of it', (bytes: Buffer) => bytes.subarray(0, 5)],
])('a payload that lost %s is refused', async (_, change) => {
  const [sealed] = await keyed(first).encode([payloadOf({ code: 'private' })]);
  const broken = { ...sealed, data: change(Buffer.from(sealed!.data!)) };
  await expect(keyed(first).decode([broken])).rejects.toMatchObject({ code: 'InvalidInput' });
});

test('the name of a key is part of what it protects', async () => {
  const same = Buffer.alloc(32, 1).toString('base64');
  const [sealed] = await keyed(`one:${same}`).encode([payloadOf('a')]);
  const renamed = { ...sealed, metadata: { ...sealed!.metadata, 'encryption-key-id': Buffer.from('two') } };
  await expect(keyed(`two:${same}`).decode([renamed])).rejects.toMatchObject({ code: 'InvalidInput' });
});

test('without a key nothing is encrypted', async () => {
  const payloads = [payloadOf('a')];
  expect(await new PayloadCipher([]).encode(payloads)).toEqual(payloads);
});

test.each([
  [undefined, 'it is not set'],
  ['  ', 'it is not set'],
  ['k:c2hvcnQ=', 'key 1 is not ID:BASE64 of 32 bytes'],
  [`${first},secretsecret`, 'key 2 is not ID:BASE64 of 32 bytes'],
  [`${first},${first}`, 'two keys have the same id'],
])('keys %j are refused without being quoted', (value, why) => {
  const read = () => readKeys('KEYS', value);
  expect(read).toThrow(why);
  expect(read).not.toThrow(/secretsecret|c2hvcnQ/);
});

test('every payload within an event is decoded, wherever it is', async () => {
  const cipher = keyed(first);
  const [input, header, summary] = (await cipher.encode(['input', 'header', 'summary'].map(payloadOf))) as Payload[];
  const event = {
    eventId: 1,
    started: { input: { payloads: [input] }, header: { fields: { a: header } }, bytes: Buffer.from('x') },
    userMetadata: { summary, details: null },
  };
  const read = await decoded(event, [cipher]);
  const values = [read.started.input.payloads[0]!, read.started.header.fields.a!, read.userMetadata.summary!];
  expect(values.map((each) => defaultPayloadConverter.fromPayload(each))).toEqual(['input', 'header', 'summary']);
});
