import {
  type Component,
  type Frame,
  type Lease,
  PointsmanError,
  type Ref,
  type RepoSetupInput,
  type ServiceSpec,
} from '../../contract';
import type { Deps } from '../../deps';
import { needImage } from '../../environments/travel';
import type { Owner } from '../../sandbox/labels';
import { exportLines } from '../../sandbox/shell-state';
import type { Given } from '../../setup/given';
import { completeService, installCommand } from '../../setup/loop/services';
import { isMarker, surveyOf } from '../../setup/repository/markers';
import { textOf } from '../../setup/repository/survey';
import { fetchSource, type Source } from '../../sources/fetch';
import { withHeartbeat } from '../heartbeat';
import { createReader } from './chain';

export interface PrepareInput {
  readonly owner: Owner;
  readonly input: RepoSetupInput;
  /** What an earlier sandbox of this run was made of, when it is made again. */
  readonly given?: Ref;
}

export interface Prepared {
  readonly lease: Lease;
  readonly given: Ref;
  readonly sha256: string;
  readonly licence: string | null;
  readonly notes: readonly string[];
}

type Described = Pick<RepoSetupInput, 'source' | 'goal' | 'base' | 'workdir' | 'family'>;

const ROLE = 'main';
/** Checks, trials and services run beside the sandbox of a set-up, one at least. */
const BESIDE = 1;
/** Where the family's other repositories lie. */
const FAMILY = '/family';

/** What a set-up or a trial begins with: sources fetched and surveyed, and the place that they are in. */
export function createSetupPrepareActivities(deps: Deps) {
  const { sandboxes, blobs, setupChains } = deps;
  const reader = createReader(deps);

  async function inspected(image: string) {
    await needImage(deps, image);
    const found = await sandboxes.images.find(image);
    if (found) return found;
    throw new PointsmanError(
      'NotFound',
      `the image ${image} is not on this host`,
      'Load it with `docker load`, or pull it.',
    );
  }

  async function describe(input: Described, source: Source, parts: readonly [Component, Source][]): Promise<Ref> {
    // Of code the text is taken as it is: its sums are those of the bytes.
    const read = (path: string, bytes: Buffer) => (isMarker(path) ? textOf(bytes) : bytes.toString('utf8'));
    const survey = ({ tree }: Source) =>
      blobs.put(JSON.stringify(surveyOf([...tree].map(([path, { bytes }]) => [path, read(path, bytes)] as const))));
    const given: Given = {
      source: input.source,
      sha256: source.sha256,
      version: source.resolved.version ?? null,
      released: source.released,
      licence: source.licence,
      notes: source.notes,
      goal: input.goal,
      base: input.base,
      workdir: input.workdir,
      survey: await survey(source),
      components: await Promise.all(
        parts.map(async ([{ name, source: text }, part]) => ({
          name,
          source: text,
          sha256: part.sha256,
          workdir: `${FAMILY}/${name}`,
          survey: await survey(part),
        })),
      ),
      wanted: (input.family?.services ?? []).map(completeService),
    };
    return blobs.put(JSON.stringify(given));
  }

  return {
    /**
     * Fetches the sources and starts the run's sandbox with them in it. Retry-safe: what was fetched is in the blob store,
     * the container's name follows from the run, and writing the sources again changes nothing.
     */
    async prepareSetup({ owner, input, given }: PrepareInput): Promise<Prepared> {
      return withHeartbeat(async (signal) => {
        const known = given ? await reader.json<Given>(given) : undefined;
        await needImage(deps, known?.base ?? input.base);
        const base = known?.base ?? (await sandboxes.images.pinned(input.base));
        const fetched = (name: string, sha256: string | undefined) =>
          fetchSource(deps, owner, name, sha256, base, signal);
        const again = await fetched(input.source, known?.sha256);
        // Bytes from the blob store do not tell what the registry said beside them.
        const source = { ...again, released: known?.released ?? again.released };
        const parts: [Component, Source][] = [];
        for (const part of input.family?.components ?? []) {
          parts.push([
            part,
            await fetched(part.source, known?.components.find(({ name }) => name === part.name)?.sha256),
          ]);
        }
        const { workdir } = input;
        const profile = { ...input.sandbox, hostCertificates: false };
        // What is left here of the run holds what is to be done again: this host may be the one that was taken for lost.
        if (given) {
          await sandboxes.remove(owner, ROLE);
          await sandboxes.services.back(owner, [], 0, []);
        }
        const sandbox = await sandboxes.claim({ owner, role: ROLE, image: base, workdir, profile, beside: BESIDE });
        for (const [folder, { tree }] of [
          [workdir, source],
          ...parts.map(([{ name }, part]) => [`${FAMILY}/${name}`, part]),
        ] as [string, Source][]) {
          await sandbox.write([...tree].map(([path, file]) => ({ path: `${folder}/${path}`, ...file })));
        }
        const lent =
          input.sandbox.hostCertificates && input.sandbox.network !== 'none' ? await sandbox.lendAccess() : {};
        // Lent as shell state and not as the container's own variables: those would stay in every image made of it.
        await sandbox.journal((journal) =>
          journal.run({
            id: 'begin',
            after: '*',
            command: [`mkdir -p '${workdir}'; cd '${workdir}'`, ...exportLines(lent)].join('\n'),
            timeoutMs: 60_000,
          }),
        );
        return {
          lease: {
            host: deps.hostQueue,
            hostName: deps.hostName,
            container: sandbox.name,
            image: base,
            workdir,
            base: null,
            origin: 'begin',
            diskMiB: input.sandbox.diskMiB,
          },
          given: await describe({ ...input, base }, source, parts),
          sha256: source.sha256,
          licence: source.licence,
          notes: [
            ...source.notes,
            ...parts.flatMap(([part, { notes }]) => notes.map((note) => `${part.name}: ${note}`)),
          ],
        };
      });
    },

    /** The case of an environment that no set-up of ours made: any image, with the sources it is of. Retry-safe: blobs. */
    async openCase(input: {
      owner: Owner;
      source: string;
      image: string;
      workdir: string;
      base: string;
      goal: string;
      services: readonly ServiceSpec[];
    }): Promise<{
      owner: Owner;
      lease: Lease;
      frame: Frame;
      given: Ref;
      agent: string;
      claim: string;
      verifier: null;
    }> {
      return withHeartbeat(async (signal) => {
        const { owner, image, workdir, base, goal } = input;
        const source = await fetchSource(deps, owner, input.source, undefined, base, signal);
        const given = await describe({ source: input.source, goal, base, workdir }, source, []);
        const found = await inspected(image);
        // One that does not start is no outage: the prosecutor finds it missing.
        await sandboxes.services.startSiblings(
          { owner, services: input.services, base, install: installCommand },
          signal,
        );
        const frame = {
          index: 0,
          label: image,
          image,
          imageId: found.id,
          cwd: workdir,
          env: found.env,
          services: [],
          network: 'none',
          position: '-',
        };
        const lease = {
          host: deps.hostQueue,
          hostName: deps.hostName,
          container: '-',
          image,
          workdir,
          base: null,
          origin: '-',
          diskMiB: 10_240,
        };
        const agent = await setupChains.open({ kind: 'setup-opening', role: 'agent', source: input.source, given });
        return { owner, lease, frame, given, agent, claim: '', verifier: null };
      });
    },
  };
}
