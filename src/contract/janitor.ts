import { z } from 'zod';

export const JanitorInput = z.strictObject({
  /** Names of hosts to sweep; the workflow runs the sweep on each one's own queue. */
  hosts: z.array(z.string().min(1)).min(1),
  /** Things younger than this are left alone: their workflow may just be starting. */
  olderThanSeconds: z.number().min(0).default(120),
});
export type JanitorInput = z.infer<typeof JanitorInput>;
