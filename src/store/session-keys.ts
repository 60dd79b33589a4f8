import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { z } from 'zod';
import { PointsmanError } from '../contract/errors';
import type { PayloadCipher } from '../payloads';
import type { Documents } from './documents';

const Kept = z.strictObject({
  /** The one address that it may be sent to. */
  baseUrl: z.string(),
  key: z.string(),
  /** Workflow whose end is the key's. */
  owner: z.string(),
});
type Kept = z.infer<typeof Kept>;

const { Payload } = temporal.api.common.v1;

const NAME = /^[0-9a-f]{64}$/;

/**
 * Keys that a trainer gave for one rollout, which only this account reads: payloads carry their names, and whoever knows a
 * name can have the key sent nowhere but to the address that it was given for. They are encrypted as payloads are, where those are.
 */
export class SessionKeys {
  constructor(
    private readonly documents: Documents,
    private readonly cipher: () => PayloadCipher,
  ) {}

  /** Keeps a key, in place of one of the same name. */
  async keep(name: string, kept: Kept): Promise<void> {
    const [sealed] = await this.cipher().encode([defaultPayloadConverter.toPayload(kept)]);
    await this.documents.put(nameOfKey(name), Buffer.from(Payload.encode(sealed!).finish()).toString('base64'));
  }

  /** Throws `InvalidInput` where there is none of that name, or where it is for another address. */
  async read(name: string, baseUrl: string): Promise<string> {
    const kept = await this.kept(name);
    if (!kept) {
      throw new PointsmanError(
        'InvalidInput',
        'the key of this rollout is not kept here any more',
        'Send the rollout to `pointsman serve` again, with its key; workers must share its home or its store.',
      );
    }
    if (kept.baseUrl !== baseUrl) {
      throw new PointsmanError('InvalidInput', `the key of this rollout is not for ${baseUrl}`, 'Give one for it.');
    }
    return kept.key;
  }

  async remove(name: string): Promise<void> {
    await this.documents.remove(nameOfKey(name));
  }

  /** Names, each with the workflow that it is for. */
  async all(): Promise<{ readonly name: string; readonly owner: string }[]> {
    const names = (await this.documents.names()).filter((name) => NAME.test(name));
    return Promise.all(names.map(async (name) => ({ name, owner: (await this.kept(name))?.owner ?? '' })));
  }

  private async kept(name: string): Promise<Kept | undefined> {
    const text = await this.documents.get(nameOfKey(name));
    if (text === undefined) return undefined;
    const [opened] = await this.cipher().decode([Payload.decode(Buffer.from(text, 'base64'))]);
    return Kept.parse(defaultPayloadConverter.fromPayload(opened!));
  }
}

function nameOfKey(name: string): string {
  if (NAME.test(name)) return name;
  throw new PointsmanError('InvalidInput', 'this is no name of a key', 'Names are 64 hex digits.');
}
