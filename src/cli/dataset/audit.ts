import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  type Author,
  type DatasetFile,
  type DatasetManifest,
  type DatasetOrigin,
  isPointsmanError,
  nearest,
  PointsmanError,
  type Problem,
} from '../../contract';
import { EXPORTERS } from '../../dataset/exporters';
import type { ReadTurn } from '../../dataset/exporters/exporter';
import { imageDigest } from '../../machine/image';
import { fileLines } from '../../store/file-lines';
import { type Cli, look } from '../context';
import { auditLines } from '../terminal/dataset/audit';
import { type AuditedStep, auditChain, bytesOf, type RolloutHistory, rolloutHistory, short } from './audit-origins';
import { originsIn, readDataset } from './folder';
import { fileDigest } from './show';

/** `dataset audit`: from a row to the steps, the events and the answers that it was made of. Exit code 1 when something does not fit. */
export function addDatasetAudit(dataset: Command, cli: Cli): void {
  dataset
    .command('audit <name> <row>')
    .description("walk from a row (its id, or its number) to the model's answers, and hash everything on the way")
    .action(async (named: string, row: string) => {
      const { manifest, ...found } = await readDataset(cli, named);
      const dataset = { manifest, folder: await found.folder() };
      const audit = await auditRow(cli, dataset, originNamed(originsIn(dataset.folder), row, manifest.name));
      cli.print(audit, () => auditLines(audit, look()).join('\n'));
      if (audit.problems.length > 0) process.exitCode = 1;
    });
}

function originNamed(origins: readonly DatasetOrigin[], row: string, name: string): DatasetOrigin {
  const found = origins.find(({ id }) => id === row) ?? (/^\d+$/.test(row) ? origins[Number(row) - 1] : undefined);
  if (found) return found;
  const close = nearest(
    row,
    origins.map(({ id }) => id),
  );
  throw new PointsmanError(
    'NotFound',
    `${name} has no row "${row}"${close ? `, did you mean "${close}"?` : ''}`,
    `Give an id of rows.jsonl, or a number from 1 to ${origins.length}; dropped.jsonl says why others are not there.`,
  );
}

/** Where its files are here. */
interface DatasetFolder {
  readonly folder: string;
  readonly manifest: DatasetManifest;
}

interface FoundRecord {
  /** File and line. */
  readonly where: string;
  readonly turns: readonly ReadTurn[];
}

/** Formats that name the step of each turn, in the order in which they are looked at. */
const WITH_STEPS = Object.values(EXPORTERS).flatMap((each) =>
  each.layout === 'lines' && each.namesSteps ? [each.format] : [],
);

/** Where a row stands in the files, with its turns as the file has them; several records where a format parts rows. */
async function recordsOf({ folder, manifest }: DatasetFolder, origin: DatasetOrigin): Promise<FoundRecord[]> {
  const file = WITH_STEPS.map((format) =>
    manifest.result.files.find(
      (each) => each.format === format && each.split === origin.split && each.path.endsWith('.jsonl'),
    ),
  ).find((each) => each !== undefined);
  return file ? recordsIn(folder, file, origin.id) : [];
}

async function recordsIn(folder: string, { path, format }: DatasetFile, id: string): Promise<FoundRecord[]> {
  const exporter = EXPORTERS[format];
  if (exporter.layout === 'folder') return [];
  const found: FoundRecord[] = [];
  const named = JSON.stringify(id);
  let number = 0;
  for await (const line of fileLines(join(folder, path))) {
    number += 1;
    // Most lines are megabytes about another row.
    if (!line.includes(named)) continue;
    const read = exporter.read(JSON.parse(line));
    if (read.row === id) found.push({ where: `${path}:${number}`, turns: read.turns });
  }
  return found;
}

/** A trained turn, from the file down to the model's answer. */
interface AuditedTurn {
  readonly turn: number;
  readonly author: Author;
  readonly model: string;
  /** Hash of the step in the chain. */
  readonly step: string;
  /** Completion of the model call in the rollout's history; null where the history does not have it. */
  readonly event: { readonly runId: string; readonly eventId: number } | null;
  /** Digest of the model's answer, as the server gave it. */
  readonly response: string;
  /** Blob that holds the answer as it was kept; null where it is not in the store. */
  readonly turnBlob: string | null;
}

export interface Audit {
  readonly row: DatasetOrigin;
  readonly records: readonly string[];
  readonly turns: readonly AuditedTurn[];
  /** Whether the server still has the rollout's history. */
  readonly history: boolean;
  readonly problem: { readonly id: string; readonly image: string; readonly imageDigest: string | null } | null;
  /** What was hashed again and is as it should be. */
  readonly verified: { readonly steps: number; readonly observations: number };
  /** What does not fit. */
  readonly problems: readonly string[];
  /** What cannot be told any more, and why. */
  readonly unknown: readonly string[];
}

/** Walks from a row to the models' answers and to the problem's image; every hash on the way is computed again. */
async function auditRow(cli: Cli, dataset: DatasetFolder, origin: DatasetOrigin): Promise<Audit> {
  const problems = await changedFiles(dataset);
  const unknown: string[] = [];
  const records = await recordsOf(dataset, origin);
  if (records.length === 0)
    unknown.push('no file of this data set names the steps of its turns: build it with the format universal');
  const about = { row: origin, records: records.map(({ where }) => where) };
  if (origin.head === null) {
    unknown.push('an extra source made this row: there is no chain behind it');
    return {
      ...about,
      turns: [],
      history: false,
      problem: null,
      verified: { steps: 0, observations: 0 },
      problems,
      unknown,
    };
  }
  const chain = await auditChain(cli.blobs, origin.head);
  problems.push(...chain.problems);
  const trained = chain.steps.filter(({ step }) => origin.trained.includes(step.turn.turn));
  problems.push(...recordProblems(records, trained, origin));
  const allowed = dataset.manifest.input.train[origin.method] ?? ['expert'];
  for (const { step } of trained) {
    if (!allowed.includes(step.turn.author))
      problems.push(`turn ${step.turn.turn}: trained, although the ${step.turn.author} made it`);
  }
  const history = await historyOf(cli, origin.id, unknown);
  const turns = await Promise.all(trained.map((each) => answerOf(cli, each, history, problems, unknown)));
  if (chain.opening && chain.opening.problemId !== origin.instance)
    problems.push(`the chain works on ${chain.opening.problemId}, the row says ${origin.instance}`);
  return {
    ...about,
    turns,
    history: history !== undefined,
    problem: await problemOf(cli, origin, problems, unknown),
    verified: { steps: chain.steps.length, observations: chain.observations },
    problems,
    unknown,
  };
}

/** Files that the walk relies on must be those that the manifest names. */
async function changedFiles({ folder, manifest }: DatasetFolder): Promise<string[]> {
  const problems: string[] = [];
  for (const { path, sha256 } of manifest.files) {
    if (!path.endsWith('.jsonl')) continue;
    const found = await fileDigest(join(folder, path)).catch(() => undefined);
    if (found !== sha256)
      problems.push(`${path}: expected sha256 ${short(sha256)}, found ${found ? short(found) : 'no file'}`);
  }
  return problems;
}

/** The trained turns of the file must be those of the chain, by the hash of each step. */
function recordProblems(
  records: readonly FoundRecord[],
  trained: readonly AuditedStep[],
  origin: DatasetOrigin,
): string[] {
  const problems: string[] = [];
  if (trained.length !== origin.trained.length)
    problems.push(`rows.jsonl names ${origin.trained.length} trained turns, the chain has ${trained.length} of them`);
  if (records.length === 0) return problems;
  const inFile = records.flatMap(({ turns }) => turns.filter((turn) => turn.trained).map((turn) => turn.step ?? ''));
  const inChain = new Map(trained.map(({ hash, step }) => [hash, step.turn.turn]));
  for (const [hash, turn] of inChain)
    if (!inFile.includes(hash)) problems.push(`turn ${turn}: the file does not train step ${short(hash)}`);
  for (const hash of inFile)
    if (!inChain.has(hash))
      problems.push(`the file trains step ${short(hash) || '(unnamed)'}, which is none of the row's`);
  return problems;
}

async function historyOf(cli: Cli, id: string, unknown: string[]): Promise<RolloutHistory | undefined> {
  try {
    const history = await rolloutHistory(await cli.client(), id);
    if (!history) unknown.push(`the server no longer has the history of ${id}, so that no event can be named`);
    return history;
  } catch (error) {
    if (!isPointsmanError(error) || error.code !== 'Unavailable') throw error;
    unknown.push(`no server can be asked for events: ${error.message}`);
    return undefined;
  }
}

/** What the model answered, by the event that brought it and by the blob that it was kept in before its action ran. */
async function answerOf(
  cli: Cli,
  { hash, step, turnBlob }: AuditedStep,
  history: RolloutHistory | undefined,
  problems: string[],
  unknown: string[],
): Promise<AuditedTurn> {
  const { turn, author, model, reply } = step.turn;
  const event = history?.answers.get(turn);
  if (event && event.turn !== turnBlob)
    problems.push(
      `turn ${turn}: event ${event.eventId} brought ${short(event.turn)}, the chain holds ${short(turnBlob)}`,
    );
  if (history && !event)
    unknown.push(`turn ${turn}: no model call in this rollout's history; a fork takes turns over from another`);
  const kept = await cli.blobs.has(turnBlob);
  if (kept) await bytesOf(cli.blobs, turnBlob, problems, `answer of turn ${turn}`);
  else unknown.push(`turn ${turn}: the answer is in the chain, but not as it was kept before its action ran`);
  return {
    turn,
    author,
    model,
    step: hash,
    event: event ? { runId: event.runId, eventId: event.eventId } : null,
    response: createHash('sha256').update(JSON.stringify(reply)).digest('hex'),
    turnBlob: kept ? turnBlob : null,
  };
}

async function problemOf(
  cli: Cli,
  { problem, instance }: DatasetOrigin,
  problems: string[],
  unknown: string[],
): Promise<Audit['problem']> {
  if (!problem) {
    unknown.push('no campaign kept the problem of this row');
    return null;
  }
  const bytes = await bytesOf(cli.blobs, problem.sha256, problems, 'problem');
  if (!bytes) return null;
  const { id, image } = JSON.parse(bytes.toString('utf8')) as Problem;
  if (id !== instance) problems.push(`the problem is ${id}, the row says ${instance}`);
  const digest = await imageDigest(image);
  if (!digest) unknown.push(`the engine of this host does not have ${image}, so that its digest cannot be told`);
  return { id, image, imageDigest: digest ?? null };
}
