import { z } from 'zod';
import { NemoAnswer, NemoRun, TrainerAnswer, TrainerRollout, TrainerStep } from '../contract';

const ErrorBody = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string(), hint: z.string() }),
});

const SCHEMAS = {
  TrainerRollout: [TrainerRollout, 'input'],
  TrainerAnswer: [TrainerAnswer, 'output'],
  TrainerStep: [TrainerStep, 'output'],
  NemoRun: [NemoRun, 'input'],
  NemoAnswer: [NemoAnswer, 'output'],
  Error: [ErrorBody, 'output'],
} as const satisfies Record<string, readonly [z.ZodType, 'input' | 'output']>;

type Named = keyof typeof SCHEMAS;

const content = (name: Named) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } });
const said = (description: string, name: Named) => ({ description, content: content(name) });

const REFUSED = {
  400: said('The body or a parameter is wrong, or the configuration does not allow it.', 'Error'),
  401: said('The token is missing or wrong.', 'Error'),
};
const MISSING = { 404: said('There is no such run.', 'Error') };
const STARTS = {
  ...REFUSED,
  409: said('A run of that name was started with another body.', 'Error'),
  413: said('The body is too long.', 'Error'),
  429: {
    ...said('As many runs are unfinished as there may be.', 'Error'),
    headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } },
  },
};

const parameter = (name: string, where: 'path' | 'query', description: string, schema: object) => ({
  name,
  in: where,
  description,
  schema,
  required: where === 'path',
});
const ID = parameter('id', 'path', '`ROLLOUT_ID~ATTEMPT`; without the attempt the first (0).', { type: 'string' });

/** What this server speaks, as OpenAPI 3.1, made from the schemas that requests are checked with. */
export function openApi(version: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pointsman for trainers',
      version,
      description: 'Durable rollouts: started by name, found again by name, never run twice.',
    },
    security: [{ token: [] }],
    paths: {
      '/rollouts': {
        post: {
          summary: 'Start a rollout, or attach to the one of that name',
          requestBody: { required: true, content: content('TrainerRollout') },
          responses: {
            ...STARTS,
            200: said('It exists: how it stands.', 'TrainerAnswer'),
            201: said('It was started.', 'TrainerAnswer'),
          },
        },
      },
      '/rollouts/{id}': {
        get: {
          summary: 'How a rollout stands, or what came of it',
          parameters: [
            ID,
            parameter('wait', 'query', 'Seconds to wait for its end.', { type: 'number', minimum: 0, maximum: 3600 }),
          ],
          responses: { ...REFUSED, ...MISSING, 200: said('How it stands.', 'TrainerAnswer') },
        },
        delete: {
          summary: 'End a rollout; what it came to until then is kept',
          parameters: [ID],
          responses: { ...REFUSED, ...MISSING, 200: said('It was asked to end.', 'TrainerAnswer') },
        },
      },
      '/rollouts/{id}/steps': {
        get: {
          summary: 'Its steps as they come, as server-sent events',
          description:
            'Events `step` (data: TrainerStep, id: its turn), then one `end` (data: TrainerAnswer). `Last-Event-ID` goes on where a reader left.',
          parameters: [ID, parameter('after', 'query', 'Steps to leave out.', { type: 'integer', minimum: 0 })],
          responses: {
            ...REFUSED,
            ...MISSING,
            200: { description: 'Events.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
          },
        },
      },
      '/run': {
        post: {
          summary: "A rollout in the shape of NeMo Gym's agents; answered at its end",
          requestBody: { required: true, content: content('NemoRun') },
          responses: { ...STARTS, 200: said('What came of it.', 'NemoAnswer') },
        },
      },
    },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(
        Object.entries(SCHEMAS).map(([name, [schema, io]]) => {
          const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
          return [name, rest];
        }),
      ),
    },
  };
}
