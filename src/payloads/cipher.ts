import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { PointsmanError } from '../contract';
import type { PayloadKey } from './keys';

/** How payloads that we encrypted are marked, in the words of Temporal's own samples, so that others' tools know them. */
const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * What the server keeps, readable only with a key: each payload is encrypted whole, its metadata too, by AES-256-GCM with the
 * first key; all keys decrypt. The bytes are nonce, ciphertext, tag; the key's id is authenticated with them. Without keys it
 * encrypts nothing. What was not encrypted is read as it is, so keys may come later.
 */
export class PayloadCipher implements PayloadCodec {
  private readonly byId: ReadonlyMap<string, PayloadKey>;

  constructor(private readonly keys: readonly PayloadKey[]) {
    this.byId = new Map(keys.map((key) => [key.id, key]));
  }

  async encode(payloads: Payload[]): Promise<Payload[]> {
    const [key] = this.keys;
    return key ? payloads.map((payload) => encrypted(payload, key)) : payloads;
  }

  /** Throws `InvalidInput` where the key is not known here or is another one of that name. */
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => (isEncrypted(payload) ? this.decrypted(payload) : payload));
  }

  private decrypted({ metadata, data }: Payload): Payload {
    const id = text(metadata?.[KEY_ID]);
    const key = this.byId.get(id);
    if (!key) {
      throw new PointsmanError(
        'InvalidInput',
        `the payload is encrypted with the key "${id}", which is not known here`,
        'Put that key into the variable that payloads.keysEnv of the configuration names.',
      );
    }
    const bytes = Buffer.from(data ?? []);
    try {
      const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(id)).setAuthTag(bytes.subarray(-TAG_BYTES));
      const clear = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
      return temporal.api.common.v1.Payload.decode(clear);
    } catch {
      throw new PointsmanError(
        'InvalidInput',
        `the payload cannot be decrypted with the key "${id}"`,
        'The key has other bytes than the one that encrypted it, or the payload was changed.',
      );
    }
  }
}

function isEncrypted({ metadata }: Payload): boolean {
  return text(metadata?.encoding) === ENCODING;
}

function encrypted(payload: Payload, { id, bytes }: PayloadKey): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(Buffer.from(id));
  const clear = temporal.api.common.v1.Payload.encode(payload).finish();
  return {
    metadata: { encoding: Buffer.from(ENCODING), [KEY_ID]: Buffer.from(id) },
    data: Buffer.concat([nonce, cipher.update(clear), cipher.final(), cipher.getAuthTag()]),
  };
}

function text(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}
