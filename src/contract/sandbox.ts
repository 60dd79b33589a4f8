import { z } from 'zod';

/**
 * What sandboxes start from when a problem names no image of its own, and what limits the network of all others from. Inputs
 * and recorded runs name it so: what is in it may change, its name may not.
 */
export const BASE_IMAGE = 'pointsman/base:bookworm';

/** By their names. What no process can be given is refused. */
const Variables = z.record(
  z.string().refine((name) => /^[^=\0]+$/.test(name), 'a name without "="'),
  z.string().refine((value) => !value.includes('\0'), 'text without a zero byte'),
);

/** What a container may use and reach. The image and directory come from the problem. */
export const SandboxProfile = z.strictObject({
  /**
   * `none`: no way out, the default of rollouts and grading. `bridge`: out to the internet, but to no other sandbox, no service
   * of the host, and no private address that the worker's configuration does not open.
   */
  network: z.enum(['none', 'bridge']).default('none'),
  memoryMiB: z.int().min(64).default(2048),
  /** More than the host has are all of its processors. A hundredth is the least that engines know. */
  cpus: z.number().min(0.01).default(2),
  pids: z.int().min(16).default(512),
  /** MiB that the container may write; the command that goes past it is killed. Polled, as few engines have quotas. */
  diskMiB: z.int().min(64).default(10_240),
  /** Variables set in every command. Never secrets: a snapshot keeps them. */
  env: Variables.default({}),
  /**
   * Passes what the worker's host needs to reach registries: proxy variables and, where the host names a CA bundle,
   * that bundle with PIP_CERT, SSL_CERT_FILE, NODE_EXTRA_CA_CERTS and the like. Only with a network.
   */
  hostCertificates: z.boolean().default(true),
  /** A checkpoint after every n steps, so that a lost container is rebuilt from there. 0: from the recorded actions. */
  checkpointEvery: z.int().min(0).default(0),
});
export type SandboxProfile = z.infer<typeof SandboxProfile>;

/**
 * A profile with defaults of its own. Field by field: who sets only `env` keeps the network that the workflow needs, which a
 * default for the whole profile would take away.
 */
export function sandboxOf({ network, memoryMiB, pids }: { network?: 'bridge'; memoryMiB: number; pids: number }) {
  const { shape } = SandboxProfile;
  return SandboxProfile.extend({
    network: shape.network.unwrap().default(network ?? 'none'),
    memoryMiB: shape.memoryMiB.unwrap().default(memoryMiB),
    pids: shape.pids.unwrap().default(pids),
  }).prefault({});
}

/** Something that has to run in a sandbox or beside it. Known names (`postgres`, `redis`, ...) fill in what is missing. */
export const ServiceSpec = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/, 'lower-case letters, digits and "-"'),
  /** `process`: started in the sandbox itself. `container`: a sibling on the run's network, reached by its name. */
  kind: z.enum(['process', 'container']).default('process'),
  /** Image of a sibling; without one it is the base image with `packages` installed. */
  image: z.string().optional(),
  /** Debian packages that bring it. */
  packages: z.array(z.string().regex(/^[a-z0-9][a-z0-9+.-]*$/)).default([]),
  /** Shell command that starts it and stays, or leaves a daemon behind. */
  start: z.string().min(1).optional(),
  port: z.int().min(1).max(65535).optional(),
  /** Shell command that succeeds once it is ready; without one, that the port takes connections. */
  health: z.string().min(1).optional(),
  env: Variables.default({}),
});
export type ServiceSpec = z.infer<typeof ServiceSpec>;

/** Everything that a rollback restores. Frames form a LIFO stack per run. */
export const Frame = z.strictObject({
  /** Place on the stack, from 0. */
  index: z.int().min(0),
  label: z.string(),
  /** Tag of the committed image. */
  image: z.string(),
  /** Digest of that image, so that a moved tag is noticed. */
  imageId: z.string(),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  services: z.array(z.string()),
  network: z.string(),
  /** The journal's last job, which says up to where the transcript is contained. */
  position: z.string(),
  /** MiB that it adds to the image which the sandbox was started from, and what taking it cost. */
  mib: z.number().min(0).optional(),
  seconds: z.number().min(0).optional(),
  /** Name under which other hosts have the image; only of a frame that travels. */
  shared: z.string().optional(),
});
export type Frame = z.infer<typeof Frame>;

/** A running sandbox, as workflows carry it. */
export const Lease = z.strictObject({
  /** Task queue that reaches the host of the container. */
  host: z.string(),
  /** Name of that host: a queue that several hosts serve by mistake must not run a command on the wrong one. */
  hostName: z.string(),
  /** That no other host has sandboxes: it answers on the queue of workflows. */
  onlyHost: z.literal(true).optional(),
  container: z.string(),
  image: z.string(),
  workdir: z.string(),
  /** Tree id of the work directory when the sandbox began; null where it is no git work tree. */
  base: z.string().nullable(),
  /** The journal's last job before the first step. */
  origin: z.string(),
  /** As in the profile: the command that writes past it is killed. */
  diskMiB: z.int(),
});
export type Lease = z.infer<typeof Lease>;

/**
 * One thing that a run makes, and that is removed when it ends. Written down before it is made, so that what an attempt made
 * whose answer was lost is removed too.
 */
export const Compensation = z.discriminatedUnion('kind', [
  /** A container of the run, by its role. */
  z.strictObject({ kind: z.literal('container'), role: z.string() }),
  /** A frame of its stack. */
  z.strictObject({ kind: z.literal('frame'), index: z.int().min(0) }),
  /** The network on which its sandbox meets its services. */
  z.strictObject({ kind: z.literal('network') }),
  /** A service in a container beside the sandbox. */
  z.strictObject({ kind: z.literal('service'), name: z.string() }),
  /** The environment image that is made of a frame (its image id), of sources and work directory. */
  z.strictObject({
    kind: z.literal('environment'),
    imageId: z.string(),
    sha256: z.string(),
    workdir: z.string(),
  }),
  /** Whatever else carries the run's label: throw-away copies that a killed worker left. */
  z.strictObject({ kind: z.literal('leftovers') }),
]);
export type Compensation = z.infer<typeof Compensation>;

/** What a host says to the runs that have a sandbox on it, when it is drained or stopped. */
export interface HostLeaving {
  readonly host: string;
  /** Its worker has ended: nobody answers there. Else it does until the run has gone on elsewhere. */
  readonly gone: boolean;
}
export const HOST_LEAVING = 'hostLeaving';

export const DrainInput = z.strictObject({ host: z.string().min(1) });
export type DrainInput = z.infer<typeof DrainInput>;

/** What a host still had when it was told to take nothing new. */
export interface Drained {
  readonly host: string;
  readonly runs: number;
}

export const JanitorInput = z.strictObject({
  /** Names of hosts to sweep; the workflow runs the sweep on each one's own queue. */
  hosts: z.array(z.string().min(1)).min(1),
  /** Things younger than this are left alone: their workflow may just be starting. */
  olderThanSeconds: z.number().min(0).default(120),
});
export type JanitorInput = z.infer<typeof JanitorInput>;
