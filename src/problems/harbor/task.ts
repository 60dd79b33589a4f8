// @ts-expect-error TS1479: it ships a CommonJS build, but its types are declared for ES modules only.
import { parse, stringify } from 'smol-toml';
import { z } from 'zod';
import type { Problem } from '../../contract';
import { parseInput } from '../../contract/parse';
import { quote } from '../../rollout/shell';
import { hasContext } from '../patch';

/** Where the candidate's patch is in the agent's container, and then in the verifier's. */
const PATCH = '/tmp/candidate.patch';
/** Commit that the patch is made against; an agent that changes it only spoils its own patch. */
const BASE = '/var/lib/pointsman-base';
/** Where the judge's Node.js is put. */
const NODE = '/opt/pointsman/node';

export interface TaskChoice {
  /** Image of the work directory, as whoever builds the task knows it. */
  readonly image: string;
  /** Another one that the agent works in: what was done in it before is not the verifier's. */
  readonly workspace?: string;
  /** Image that the judge's Node.js is taken from. */
  readonly node: string;
  /** Of names: `ORG/NAME`. */
  readonly org: string;
  /** Made of the problem's id where nothing is said. */
  readonly name?: string;
  /** Whether the verifier's container has a network. */
  readonly network: 'none' | 'public';
  /** Tree or commit that the agent's patch is made against; HEAD of the image where nothing is said. */
  readonly base?: string;
  /** What an agent is told has been done before it begins, as a document in ATIF. */
  readonly prior?: { readonly trajectory: unknown; readonly metadata: Readonly<Record<string, string | number>> };
  /** Where both images are in a registry already: readers then build nothing. */
  readonly pushed?: { readonly environment: string; readonly verifier: string };
}

/**
 * A problem as a task in Harbor's layout (schema 1.4), without the judge's program, which goes into `tests/` beside these:
 * texts by path. The agent works in its image; what it changed becomes a patch, the one thing that reaches the verifier, whose
 * container is its own. `controls`: the wrong expectations that are known of its tests, as JSON.
 *
 * Source: Harbor 0.26, `models/task/config.py`.
 */
export function harborTask(problem: Problem, controls: string | undefined, choice: TaskChoice): Map<string, string> {
  const { goldPatch, statement, workdir } = problem;
  const files = new Map<string, string>();
  files.set('task.toml', stringify(config(problem, choice)));
  files.set('instruction.md', `${statement.trimEnd()}\n\nThe repository is in ${workdir}.\n`);
  files.set(
    'environment/Dockerfile',
    dockerfile([`FROM ${choice.workspace ?? choice.image}`, ...workspace(workdir, choice.base)]),
  );
  files.set('tests/Dockerfile', verifierFile(choice, workdir));
  files.set('tests/test.sh', `#!/bin/bash\nexec ${NODE} /tests/judge.cjs ${PATCH} /logs/verifier\n`);
  files.set('tests/problem.json', `${JSON.stringify(problem, null, 2)}\n`);
  if (choice.prior) files.set('trajectory.json', `${JSON.stringify(choice.prior.trajectory, null, 2)}\n`);
  if (controls !== undefined) files.set('tests/controls.json', controls);
  // Behind a student's steps the reference may not apply.
  if (goldPatch !== undefined && !choice.prior) {
    files.set('solution/gold.patch', goldPatch);
    files.set(
      'solution/solve.sh',
      `#!/bin/bash\nset -e\ncd ${quote(workdir)}\n${GIT} apply --whitespace=nowarn${hasContext(goldPatch) ? '' : ' --unidiff-zero'} /solution/gold.patch\n`,
    );
  }
  return files;
}

const GIT = "git -c safe.directory='*'";

function config({ id, workdir, tests, needs, licence }: Problem, choice: TaskChoice) {
  const { org, network, pushed, prior } = choice;
  const { cpus, memoryMiB, diskMiB } = needs ?? {};
  const resources = {
    ...(cpus === undefined ? {} : { cpus }),
    ...(memoryMiB === undefined ? {} : { memory_mb: memoryMiB }),
    ...(diskMiB === undefined ? {} : { storage_mb: diskMiB }),
  };
  const image = (name: string | undefined) => (name === undefined ? {} : { docker_image: name });
  return {
    schema_version: '1.4',
    artifacts: [PATCH],
    task: { name: `${org}/${choice.name ?? taskName(id)}`, keywords: ['pointsman'] },
    metadata: { problem: id, ...prior?.metadata, ...(licence === undefined ? {} : { licence }) },
    agent: { timeout_sec: AGENT_SECONDS },
    environment: { workdir, ...resources, ...image(pushed?.environment) },
    verifier: {
      timeout_sec: RUNS * Math.ceil(tests.timeoutSeconds),
      environment_mode: 'separate',
      collect: [{ command: collected(workdir), timeout_sec: 300, user: 'root' }],
      environment: {
        network_mode: network === 'none' ? 'no-network' : 'public',
        ...resources,
        ...image(pushed?.verifier),
      },
    },
  };
}

const AGENT_SECONDS = 3600;
/** Runs of the tests in one judgement, and some more. */
const RUNS = 12;

/** Part of a task's name, of what Harbor takes in one. */
export function taskName(id: string): string {
  return (
    id
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/\.{2,}/g, '.')
      .replace(/^[^A-Za-z0-9]+/, '') || 'problem'
  );
}

/** Everything that changed in the work directory, committed or not. Its index stays as the agent left it. */
function collected(workdir: string): string {
  return [
    `cd ${quote(workdir)}`,
    'export GIT_INDEX_FILE="$(mktemp -u)"',
    `${GIT} read-tree "$(cat ${BASE})"`,
    `${GIT} add --all`,
    `${GIT} diff --cached --binary --full-index --no-renames --no-ext-diff --no-textconv --no-color "$(cat ${BASE})" > ${PATCH}`,
  ].join(' && ');
}

const dockerfile = (lines: readonly string[]) => `${lines.join('\n')}\n`;

function workspace(workdir: string, base?: string): string[] {
  return [
    `WORKDIR ${workdir}`,
    `RUN ${base === undefined ? `${GIT} rev-parse HEAD` : `echo ${quote(base)}`} > ${BASE}`,
  ];
}

function verifierFile({ image, node }: TaskChoice, workdir: string): string {
  return dockerfile([
    `FROM ${node} AS node`,
    `FROM ${image}`,
    'USER root',
    `WORKDIR ${workdir}`,
    `COPY --from=node /usr/local/bin/node ${NODE}`,
    'COPY . /tests/',
  ]);
}

const HandOver = z.looseObject({
  metadata: z.looseObject({ rollout: z.string(), step: z.int().min(0), head: z.string() }),
});

/** The rollout and step that a task was made of, from its `task.toml`. Throws `InvalidInput` for one of no rollout. */
export function handOverIn(config: string): { readonly rollout: string; readonly step: number; readonly head: string } {
  return parseInput(HandOver, parse(config), 'task.toml').metadata;
}
