import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { S3Place } from '../../config';
import { PointsmanError } from '../../contract';

/** Larger bodies go in parts, so that a connection that breaks costs one of them. */
const PART_BYTES = 16 << 20;
const PARTS_AT_ONCE = 4;
/** Requests at once: steps of a host's runs write a handful of small objects each. */
const SOCKETS = 256;
/** A connection on which nothing moves for so long is lost. */
const SILENT_MS = 30_000;
const ATTEMPTS = 4;

/**
 * Objects of a bucket, of any server that speaks S3. What is not there is undefined; `Unavailable` where asking again may
 * help; `InvalidInput` where only a person can: no bucket, no leave, another region.
 */
export class Bucket {
  private readonly client: S3Client;

  constructor(private readonly place: S3Place) {
    this.client = new S3Client({
      region: place.region,
      endpoint: place.endpoint,
      forcePathStyle: place.pathStyle ?? place.endpoint !== undefined,
      maxAttempts: ATTEMPTS,
      requestHandler: {
        connectionTimeout: 5_000,
        socketTimeout: SILENT_MS,
        httpAgent: { maxSockets: SOCKETS },
        httpsAgent: { maxSockets: SOCKETS },
      },
      // Bodies are signed with their digest, and read against their name: servers need not know other checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  /** Throws as the others do where the bucket cannot be used: for a worker that starts. */
  async check(): Promise<void> {
    await this.asked(() => this.client.send(new ListObjectsV2Command({ Bucket: this.place.bucket, MaxKeys: 1 })));
  }

  /** Returns when the server has all of it. Safe to repeat: the same name is the same body. */
  async put(name: string, body: Buffer): Promise<void> {
    const object = { ...this.object(name), Body: body };
    await this.asked(() =>
      body.length <= PART_BYTES
        ? this.client.send(new PutObjectCommand(object))
        : new Upload({
            client: this.client,
            params: object,
            partSize: PART_BYTES,
            queueSize: PARTS_AT_ONCE,
          }).done(),
    );
  }

  async get(name: string): Promise<Buffer | undefined> {
    return this.asked(async () => {
      // The client asks again by itself, but not for a body that broke off.
      for (let attempt = 1; ; attempt++) {
        const { Body } = await this.client.send(new GetObjectCommand(this.object(name)));
        const body = Body?.transformToByteArray() ?? new Uint8Array();
        const bytes = await (attempt < ATTEMPTS ? Promise.resolve(body).catch(() => undefined) : body);
        if (bytes) return Buffer.from(bytes);
      }
    });
  }

  async has(name: string): Promise<boolean> {
    return (await this.asked(() => this.client.send(new HeadObjectCommand(this.object(name))))) !== undefined;
  }

  /** Names that begin so, without the prefix. */
  async list(start: string): Promise<string[]> {
    const names: string[] = [];
    const { Bucket: bucket, Key: Prefix } = this.object(start);
    let ContinuationToken: string | undefined;
    do {
      const asked = new ListObjectsV2Command({ Bucket: bucket, Prefix, ContinuationToken });
      const page = await this.asked(() => this.client.send(asked));
      for (const { Key = '' } of page?.Contents ?? []) names.push(Key.slice(this.place.prefix.length));
      ContinuationToken = page?.NextContinuationToken;
    } while (ContinuationToken !== undefined);
    return names;
  }

  close(): void {
    this.client.destroy();
  }

  private object(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.place.bucket, Key: this.place.prefix + name };
  }

  private async asked<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      const known = this.classified(error as S3ServiceException);
      if (known === 'missing') return undefined;
      throw known;
    }
  }

  private classified(error: S3ServiceException): PointsmanError | 'missing' {
    const { bucket, endpoint = 'AWS', region } = this.place;
    const { name } = error;
    const status = error.$metadata?.httpStatusCode ?? 0;
    const said = `bucket "${bucket}" at ${endpoint}: ${name}${status ? ` (${status})` : ''}: ${error.message}`;
    if (name === 'NoSuchBucket')
      return new PointsmanError('InvalidInput', said, 'Create it, or correct store.shared.s3.bucket.');
    if (status === 404) return 'missing';
    if (status === 401 || status === 403) {
      return new PointsmanError(
        'InvalidInput',
        said,
        'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or a role) where the worker starts; it needs s3:GetObject, PutObject and ListBucket.',
      );
    }
    if (status === 301 || name === 'AuthorizationHeaderMalformed')
      return new PointsmanError(
        'InvalidInput',
        said,
        `Correct store.shared.s3.region (it is ${region}) or the endpoint.`,
      );
    if (status >= 400 && status < 500 && ![408, 409, 429].includes(status) && !TRANSIENT.has(name))
      return new PointsmanError('InvalidInput', said, 'Check store.shared.s3 of pointsman.yaml.');
    const hint =
      name === 'CredentialsProviderError'
        ? 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY where the worker starts, or give its host a role.'
        : 'Check that the server runs and can be reached; what was to be written is asked for again.';
    return new PointsmanError('Unavailable', said, hint);
  }
}

/** Said with a 400, and another attempt may do: keys of roles are renewed, connections break within a body. */
const TRANSIENT: ReadonlySet<string> = new Set(['ExpiredToken', 'ExpiredTokenException', 'RequestTimeout', 'SlowDown']);
