import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPython } from '@pointsman/python';
import { z } from 'zod';
import { PointsmanError, type SandboxProfile, type Subject } from '../../contract';
import { functionAt, placeCandidate, stubOf } from '../../problems/candidate';
import { type Owner, runName } from '../../sandbox/labels';
import type { Images, Sandbox } from '../../sandbox/sandbox';
import { locateModules } from './interpreter';
import type { HarnessHost } from './tools-image';

export interface PurgeSpec {
  readonly owner: Owner;
  /** Of `ensureHarnessImage`. */
  readonly image: string;
  readonly subject: Subject;
  readonly profile: SandboxProfile;
}

/** An image in which nobody can read what the function does; where it was, a body that raises. */
export interface PurgedImage {
  readonly image: string;
  /** Files that a candidate's text has to be written to: the module in the work directory, and where it is imported from. */
  readonly files: readonly string[];
}

const Purged = z.object({
  copies: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
  left: z.array(z.string()),
});

const FILES = 'pointsman.purged';
const SCRIPT = '/var/tmp/pointsman-purge.py';
/** Counts up when the same inputs would give another image. */
const BUILDER = 1;
const TIMEOUT_MS = 600_000;

/**
 * The image without the function: its module holds a stub, every other copy of it on the image too, and caches, archives
 * and histories that hold it are gone. A scan of all files proves it; `InvalidInput` names the place that resisted.
 * Layers below keep the old files, but no process of a container sees them. Kept until the run ends and taken as it is
 * when this host has it, so a retry is safe and the candidates of one problem share it.
 */
export async function ensurePurgedImage(deps: HarnessHost, spec: PurgeSpec, signal: AbortSignal): Promise<PurgedImage> {
  const { owner, image, subject } = spec;
  const digest = createHash('sha256')
    .update(JSON.stringify([BUILDER, image, subject]))
    .digest('hex')
    .slice(0, 24);
  const repo = runName(owner, 'purged');
  const known = await filesOf(deps.sandboxes.images, `${repo}:${digest}`);
  if (known) return { image: `${repo}:${digest}`, files: known };
  const role = `purge-${digest.slice(0, 8)}-${randomBytes(4).toString('hex')}`;
  const sandbox = await deps.sandboxes.confined({ owner, image, profile: spec.profile, role });
  try {
    const files = await purge(sandbox, subject, signal);
    await sandbox.commit(`${repo}:${digest}`, { labels: { [FILES]: files } });
    return { image: `${repo}:${digest}`, files };
  } finally {
    await sandbox.remove();
  }
}

/**
 * Takes every copy of the function out of a container's files but its own in the work directory: that one is the caller's
 * to replace. Throws `InvalidInput` where a copy resists, or where the image holds another version.
 */
export async function purgeCopies(sandbox: Sandbox, subject: Subject, signal: AbortSignal): Promise<void> {
  const own = `${subject.workdir}/${subject.target.file}`;
  const text = await moduleText(sandbox, subject);
  await purge(sandbox, subject, signal);
  await sandbox.write([{ path: own, bytes: Buffer.from(text) }]);
}

/** Takes the function out of a container's files; gives the files that a candidate belongs in. */
async function purge(sandbox: Sandbox, subject: Subject, signal: AbortSignal): Promise<string[]> {
  const { target, workdir, python, importRoots } = subject;
  const file = `${workdir}/${target.file}`;
  const located = await locateModules(sandbox, python, workdir, importRoots, [target.module]);
  const imported = located?.files[target.module];
  if (imported === undefined) {
    throw new PointsmanError(
      'InvalidInput',
      `${target.module} cannot be imported: ${located?.failures[target.module] ?? `no Python at ${python}`}`,
      'Set the repository up so that its own tests pass.',
    );
  }
  const text = await moduleText(sandbox, subject);
  if (imported !== file && (await sandbox.read(imported)).get(imported)?.toString('utf8') !== text) {
    throw new PointsmanError(
      'InvalidInput',
      `${target.module} is imported from ${imported}, which is another version than ${file}`,
      'Install the repository as editable, or again from its sources.',
    );
  }
  const reader = await openPython();
  const module = reader.parse(target.file, text);
  const found = functionAt(module, target);
  const placed = placeCandidate(reader, module, target, stubOf(module, target) ?? '');
  if (!found || 'refused' in placed) {
    const why = 'refused' in placed ? placed.refused : 'it is not defined there';
    throw new PointsmanError(
      'InvalidInput',
      `${target.name} of ${target.file}: ${why}`,
      'Extract the functions again.',
    );
  }
  const asked = { file, imported, name: found.statement.name, line: found.statement.line, stub: placed.text, workdir };
  await sandbox.write([{ path: SCRIPT, bytes: readFileSync(join(__dirname, 'steps', 'purge.py')) }]);
  const done = await sandbox.exec({
    command: '"$1" -B "$2"; code=$?; rm -f -- "$2"; exit $code',
    args: [python, SCRIPT],
    cwd: workdir,
    input: `${JSON.stringify(asked)}\n`,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (done.exitCode !== 0) {
    throw new PointsmanError(
      'SandboxFailed',
      `the reference could not be taken out of the image: ${done.stderr.toString('utf8').trim().slice(-600)}`,
      'Give the sandbox more memory or disk; if it stays, report it.',
    );
  }
  const { left } = Purged.parse(JSON.parse(done.stdout.toString('utf8')));
  if (left.length > 0) {
    throw new PointsmanError(
      'InvalidInput',
      `what ${target.name} does can still be read in ${left.slice(0, 5).join(', ')}`,
      'Take these files out of the environment.',
    );
  }
  return [...new Set([file, imported])];
}

/** The module's text in a container, as it stands there. */
export async function moduleText(sandbox: Sandbox, { workdir, target }: Subject): Promise<string> {
  const file = `${workdir}/${target.file}`;
  const bytes = (await sandbox.read(file)).get(file);
  if (bytes) return bytes.toString('utf8');
  throw new PointsmanError('NotFound', `the image has no ${file}`, 'The functions belong to another image.');
}

async function filesOf(images: Images, image: string): Promise<string[] | undefined> {
  const files = await images.label(image, FILES);
  return files ? z.array(z.string()).parse(files) : undefined;
}
