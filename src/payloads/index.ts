import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import type { Config } from '../config';
import { PayloadCipher } from './cipher';
import { readKeys } from './keys';

export { PayloadCipher } from './cipher';
export { newKey } from './keys';

/** The part of the configuration that is read here. */
type Keyed = Pick<Config, 'payloads'>;

/** Whether the server is to see no payload in clear text. */
export function encryptsPayloads({ payloads }: Keyed): boolean {
  return payloads.keysEnv !== undefined;
}

/** The cipher of the configuration. Throws `InvalidInput` where the variable with its keys is missing or wrong. */
export function payloadCipher({ payloads }: Keyed, env: NodeJS.ProcessEnv = process.env): PayloadCipher {
  const { keysEnv } = payloads;
  return new PayloadCipher(keysEnv === undefined ? [] : readKeys(keysEnv, env[keysEnv]));
}

/** The one data converter of workers, clients and whoever reads histories. Throws as `payloadCipher` does. */
export function dataConverterOf(config: Keyed, env: NodeJS.ProcessEnv = process.env): DataConverter {
  return {
    payloadCodecs: [payloadCipher(config, env)],
    // Only then: the UI shows a failure in the place of its message.
    ...(encryptsPayloads(config) ? { failureConverterPath: require.resolve('./failures') } : {}),
  };
}

/** Events as the server gave them, with every payload in them decoded. The same objects: they are changed. */
export async function decoded<Events>(events: Events, codecs: readonly PayloadCodec[]): Promise<Events> {
  const found: Payload[] = [];
  gather(events, found);
  let payloads = found;
  for (const codec of [...codecs].reverse()) payloads = await codec.decode(payloads);
  for (const [at, payload] of payloads.entries()) {
    const { metadata, data } = payload;
    Object.assign(found[at]!, { metadata, data });
  }
  return events;
}

function gather(value: unknown, found: Payload[]): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  if (isPayload(value)) found.push(value);
  else for (const inner of Object.values(value)) gather(inner, found);
}

function isPayload(value: object): value is Payload {
  return 'metadata' in value && (value as Payload).metadata?.encoding instanceof Uint8Array;
}
