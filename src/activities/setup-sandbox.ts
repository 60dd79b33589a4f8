import { preview } from '../agent/summary';
import {
  type Component,
  type Frame,
  type Lease,
  type Ref,
  type RepoSetupInput,
  type ServiceSpec,
  type SetupStep,
  SwitchyardError,
} from '../contract';
import { putFiles } from '../sandbox/guest-files';
import type { Journal } from '../sandbox/journal';
import type { Owner } from '../sandbox/labels';
import { lendAccess } from '../sandbox/workshop';
import { errorSignature } from '../setup/error-signature';
import { type Attribution, attribute } from '../setup/loop/attribution';
import { oneLine, strict } from '../setup/loop/commands';
import { installCommand } from '../setup/loop/services';
import { surveyOf } from '../setup/repository/markers';
import { readCounts } from '../setup/test-output';
import { fetchSource, type Source } from '../sources/fetch';
import type { Deps } from './deps';
import { createGuard, diskNote } from './guard';
import { withHeartbeat } from './heartbeat';
import { asLost, assertHere } from './sandbox-host';
import { createReader, type Given } from './setup-chain';

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

export interface RunSetupInput {
  readonly lease: Lease;
  /** The journal's job that must have come last. */
  readonly after: string;
  readonly job: string;
  readonly command: Ref;
  readonly seconds: number;
  /** Appends a step with this turn to the chain; without it the caller does. */
  readonly step?: { readonly head: string; readonly turn: string; readonly notes: readonly string[] };
  /** An earlier run of this command: says whether what happened between them helped. */
  readonly since?: { readonly command: Ref; readonly output: Ref; readonly exitCode: number | null };
}

export interface RanSetup {
  readonly preview: string;
  /** The command in one line. */
  readonly line: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly elidedBytes: number;
  readonly output: Ref;
  /** Decisive line of a failure, empty for a success. */
  readonly signature: string;
  readonly head: string | null;
  readonly attribution: Attribution | null;
}

const ROLE = 'main';
const PREVIEW = 400;
/** Where the family's other repositories lie. */
const FAMILY = '/family';

export function createSetupSandboxActivities(deps: Deps) {
  const { host, blobs, setupChains, config } = deps;
  const guarded = createGuard(deps);
  const reader = createReader(deps);

  /** Attribution reads both runs whole: a decisive line may stand anywhere. */
  async function compared(
    { since, command }: RunSetupInput,
    exitCode: number | null,
    output: string,
  ): Promise<Attribution | null> {
    if (!since) return null;
    const text = await reader.text(since.command);
    const earlier = await reader.text(since.output);
    const counted = (said: string, of: string) => readCounts(of, said)?.counts ?? null;
    const now = await reader.text(command);
    return attribute(
      { exitCode: since.exitCode, output: earlier, counts: counted(earlier, text) },
      { exitCode, output, counts: counted(output, now) },
    );
  }

  async function inspected(image: string) {
    return deps.docker
      .getImage(image)
      .inspect()
      .catch(() => {
        throw new SwitchyardError(
          'NotFound',
          `the image ${image} is not on this host`,
          'Load it with `docker load`, or pull it.',
        );
      });
  }

  async function describe(input: Described, source: Source, parts: readonly [Component, Source][]): Promise<Ref> {
    const survey = ({ tree }: Source) =>
      blobs.put(
        JSON.stringify(surveyOf([...tree].map(([path, file]) => [path, file.bytes.toString('utf8')] as const))),
      );
    const given: Given = {
      source: input.source,
      sha256: source.sha256,
      version: source.resolved.version ?? null,
      licence: source.licence,
      notes: source.notes,
      goal: input.goal,
      base: input.base,
      workdir: input.workdir,
      survey: await survey(source),
      components: await Promise.all(
        parts.map(async ([{ name, source: text }, part]) => ({
          ...{ name, source: text, sha256: part.sha256 },
          workdir: `${FAMILY}/${name}`,
          survey: await survey(part),
        })),
      ),
      wanted: input.family?.services ?? [],
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
        await host.assertRoom(owner, config.worker.sandboxes);
        const known = given ? await reader.json<Given>(given) : undefined;
        const fetched = (name: string, sha256: string | undefined) =>
          fetchSource(deps, owner, name, sha256, input.base, signal);
        const source = await fetched(input.source, known?.sha256);
        const parts: [Component, Source][] = [];
        for (const part of input.family?.components ?? []) {
          parts.push([
            part,
            await fetched(part.source, known?.components.find(({ name }) => name === part.name)?.sha256),
          ]);
        }
        const { workdir, base } = input;
        const profile = { ...input.sandbox, hostCertificates: false };
        const container = await host.ensure({ owner, role: ROLE, image: base, workdir, profile });
        for (const [folder, { tree }] of [
          [workdir, source],
          ...parts.map(([{ name }, part]) => [`${FAMILY}/${name}`, part]),
        ] as [string, Source][]) {
          await putFiles(
            container,
            [...tree].map(([path, file]) => ({ path: `${folder}/${path}`, ...file })),
          );
        }
        const lent =
          input.sandbox.hostCertificates && input.sandbox.network !== 'none' ? (await lendAccess(container)).env : {};
        const name = host.nameOf(owner, ROLE);
        const exports = Object.entries(lent).map(([key, value]) => `export ${key}='${value.replaceAll("'", `'\\''`)}'`);
        // Lent as shell state and not as the container's own variables: those would stay in every image made of it.
        await host.journal(name, (journal) =>
          journal.run({
            id: 'begin',
            after: '*',
            command: [`mkdir -p '${workdir}'; cd '${workdir}'`, ...exports].join('\n'),
            timeoutMs: 60_000,
          }),
        );
        return {
          lease: {
            ...{ host: deps.hostQueue, hostName: deps.hostName, container: name, image: base, workdir },
            ...{ base: null, origin: 'begin', diskMiB: input.sandbox.diskMiB },
          },
          given: await describe(input, source, parts),
          sha256: source.sha256,
          licence: source.licence,
          notes: [
            ...source.notes,
            ...parts.flatMap(([part, { notes }]) => notes.map((note) => `${part.name}: ${note}`)),
          ],
        };
      });
    },

    /**
     * Runs a command in the sandbox. Retry-safe: it is a named journal job, so a retry follows or reads the one that was
     * started; `SandboxLost` when the container is gone or holds another history.
     */
    async runSetup(input: RunSetupInput): Promise<RanSetup> {
      return withHeartbeat(async (signal) => {
        assertHere(deps, input.lease);
        const { lease, job, after, seconds } = input;
        const command = await reader.text(input.command);
        const work = (journal: Journal) =>
          journal.run({ id: job, after, command: strict(command), timeoutMs: seconds * 1000 });
        const { value, full } = await guarded(input, signal, work).catch(asLost);
        const bytes = full ? Buffer.concat([value.output, diskNote(lease)]) : value.output;
        const output = await blobs.put(bytes);
        const text = bytes.toString('utf8');
        const timedOut = value.reason === 'timeout';
        const observation = {
          text: output,
          exitCode: value.exitCode,
          timedOutAfter: timedOut ? seconds : null,
          elidedBytes: value.elidedBytes,
        };
        return {
          preview: preview(text, PREVIEW),
          line: oneLine(command),
          ...{ exitCode: value.exitCode, timedOut, elidedBytes: value.elidedBytes, output },
          signature: value.exitCode === 0 ? '' : errorSignature(text),
          head: input.step ? await append(input.step, observation, []) : null,
          attribution: await compared(input, value.exitCode, text),
        };
      });
    },

    /** Appends a step that the loop itself made up of several actions. Retry-safe: content-addressed. */
    async appendSetupStep(input: {
      head: string;
      turn: string;
      notes: readonly string[];
      undoes: readonly number[];
      /** What the role is told: blobs and, for a few words, texts, joined by lines. */
      observation: {
        text: readonly (Ref | string)[];
        exitCode: number | null;
        timedOutAfter?: number | null;
        elidedBytes?: number;
      };
    }): Promise<{ head: string }> {
      const { text, exitCode, timedOutAfter = null, elidedBytes = 0 } = input.observation;
      const parts = await Promise.all(text.map((part) => (typeof part === 'string' ? part : reader.text(part))));
      const body = await blobs.put(parts.join('\n'));
      return { head: await append(input, { text: body, exitCode, timedOutAfter, elidedBytes }, input.undoes) };
    },

    /** Keeps a text as a blob, for a command that the loop makes up. Retry-safe: content-addressed. */
    async keepText({ text }: { text: string }): Promise<Ref> {
      return blobs.put(text);
    },

    /**
     * Starts the services that are not up yet, siblings first, and says which are. Retry-safe: one that is ready is left
     * alone. A service that does not start is an answer, not an error.
     */
    async startSetupServices(input: {
      owner: Owner;
      lease: Lease;
      services: readonly ServiceSpec[];
      base: string;
    }): Promise<{ started: string[]; failed: { name: string; why: string } | null }> {
      return withHeartbeat(async (signal) => {
        assertHere(deps, input.lease);
        return deps.services.start({ ...input, install: installCommand }, signal).catch(asLost);
      });
    },

    /** Commits the siblings as a part of a frame. Retry-safe: no command runs between a frame and its siblings. */
    async keepSiblings(input: { owner: Owner; services: readonly ServiceSpec[]; frame: number }): Promise<void> {
      return withHeartbeat(() => deps.services.siblings.keep(input.owner, input.services, input.frame));
    },

    /** Puts the siblings back to a frame, without starting the services in the sandbox. Retry-safe: they begin anew. */
    async siblingsBack(input: {
      owner: Owner;
      services: readonly ServiceSpec[];
      frame: number;
      above: readonly number[];
    }): Promise<void> {
      const { owner, services, frame, above } = input;
      return withHeartbeat(() => deps.services.siblings.back(owner, services, frame, above));
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
        await deps.services.siblings.start({ owner, services: input.services, base, install: installCommand }, signal);
        const frame = {
          ...{ index: 0, label: image, image, imageId: found.Id, cwd: workdir, env: environmentOf(found.Config.Env) },
          ...{ services: [], network: 'none', position: '-' },
        };
        const lease = {
          ...{ host: deps.hostQueue, hostName: deps.hostName, container: '-', image, workdir },
          ...{ base: null, origin: '-', diskMiB: 10_240 },
        };
        const agent = await setupChains.open({ kind: 'setup-opening', role: 'agent', source: input.source, given });
        return { owner, lease, frame, given, agent, claim: '', verifier: null };
      });
    },

    /** Processes that a rollback would end and that nobody declared as a service: the agent is told. Reads only. */
    async undeclaredProcesses({ lease }: { lease: Lease }): Promise<string[]> {
      return withHeartbeat(() => deps.services.undeclared(lease).catch(asLost));
    },
  };

  async function append(
    at: { readonly head: string; readonly turn: string; readonly notes: readonly string[] },
    observation: SetupStep['observation'],
    undoes: readonly number[],
  ): Promise<string> {
    const turn = await setupChains.turn(at.turn);
    return setupChains.append({
      kind: 'setup-step',
      parent: at.head,
      turn,
      observation,
      notes: [...at.notes],
      undoes: [...undoes],
    });
  }
}

function environmentOf(entries: readonly string[] | null | undefined): Record<string, string> {
  return Object.fromEntries(
    (entries ?? []).map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}
