import { z } from 'zod';

export const VariableName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*$/, 'the name of an environment variable, like TRAINER_KEY; the key itself is a secret');

/** Fields of HTTP that carry keys, or that the client sets: keys travel as `apiKeyEnv` or `token`, the others not at all. */
const NOT_YOURS: readonly string[] = [
  ...['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'api-key'],
  ...['host', 'connection', 'content-length', 'content-type', 'transfer-encoding', 'expect', 'upgrade', 'te'],
];

/** Sent with every call: what a gateway tells sessions apart by. They stand in histories, so no secret may be among them. */
const SessionHeaders = z
  .record(z.string(), z.string().regex(/^[\x20-\x7e]{0,500}$/, 'printable ASCII, 500 characters at most'))
  .superRefine((headers, context) => {
    const names = Object.keys(headers);
    if (names.length > 20) context.addIssue({ code: 'custom', message: '20 headers at most' });
    for (const name of names) {
      const message = !/^[A-Za-z0-9-]{1,100}$/.test(name)
        ? 'the name of a header is letters, digits and "-"'
        : NOT_YOURS.includes(name.toLowerCase())
          ? 'this one is set by the client; a key goes into apiKeyEnv'
          : undefined;
      if (message) context.addIssue({ code: 'custom', path: [name], message });
    }
  });

/** An address of a model server: without a name and password, which would be in every history. */
export const ServerAddress = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .refine((url) => {
    const { username, password, hash, search } = new URL(url);
    return !username && !password && !hash && !search;
  }, 'an address without user, password, "?" and "#": a key goes into apiKeyEnv');

/**
 * Where one rollout asks the model of a profile: a trainer's own gateway, which tells rollouts apart by path, header or key.
 * Everything else stays the profile's. The configuration says which addresses may be named, and which keys go there.
 */
export const Endpoint = z
  .strictObject({
    /** Instead of the profile's. */
    baseUrl: ServerAddress.optional(),
    /** Variable of the worker's environment that holds the key. With `baseUrl` the profile's own key is not sent. */
    apiKeyEnv: VariableName.optional(),
    /** Name of a key that `pointsman serve` keeps in the home while the rollout runs. */
    token: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    headers: SessionHeaders.optional(),
  })
  .refine(({ apiKeyEnv, token }) => !(apiKeyEnv && token), 'apiKeyEnv or token, not both');
export type Endpoint = z.infer<typeof Endpoint>;
