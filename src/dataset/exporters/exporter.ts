import type { ChatTool, DatasetInput, DialectName, SampledFigures } from '../../contract';
import type { Prompts } from '../../rollout/prompts';
import type { ChatTokenizer } from '../chat-tokenizer';
import type { MaskReason } from '../mask';
import type { DatasetRow } from '../row';
import type { Columns } from './columns';
import type { Fields } from './fields';

/**
 * How a trainer that reads the format learns which turns to train.
 * `message`: a field of each assistant message. `completion`: what stands in `completion`. `labels`: −100 where nothing is
 * learned. `last-turn`: only the last message is trained. `ignored`: the file says it, but the format's usual trainers read
 * the role alone and would train every assistant turn.
 */
export type MaskBy = 'message' | 'completion' | 'labels' | 'last-turn' | 'ignored';

/** What exporters need beside the row. */
export interface ExportContext {
  /** Prompts of the dialects that a format prescribes (`swesmith-*`). */
  readonly prompts: Readonly<Record<DialectName, Prompts>>;
  /** For `tokens`; without it that format leaves every row out. */
  readonly tokenizer?: ChatTokenizer;
  /** Which of its trained turns a row of `tokens` trains. */
  readonly tokenTurns?: DatasetInput['tokenTurns'];
}

/** JSON values only: a record is a line of JSONL or a row of Parquet. */
export type DataRecord = Readonly<Record<string, unknown>>;

export interface Exported {
  readonly records: readonly DataRecord[];
  /** Why a row, or a part of it, is not among them. */
  readonly left: readonly { readonly reason: LeftOut; readonly detail: string }[];
  /** What it has of tokens as they were sampled. */
  readonly sampled?: SampledFigures;
}

type LeftOut =
  /** The tokenizer's chat template and the row do not fit. */
  | MaskReason
  /** Extra rows have messages only. */
  | 'no_trajectory'
  /** `tokens` was asked for without a tokenizer. */
  | 'no_tokenizer'
  /** No trained call has its tokens and their log-probabilities: see `keepTokens` of profiles. */
  | 'no_sampled_tokens'
  /** No teacher said how likely its tokens are: see the reasons on the card. */
  | 'not_scored'
  /** No turn of it is trained. */
  | 'nothing_trained'
  /** The format's roles do not alternate as its trainer demands. */
  | 'roles_do_not_alternate';

interface ExporterBase {
  readonly format: string;
  readonly mask: MaskBy;
  /** What reads the files, and how: the card says it. */
  readonly loadedBy: string;
  /** Its rows need the tokens that their calls were sampled with. */
  readonly readsTokens?: true;
  /** And what a teacher said of them. */
  readonly readsScores?: true;
}

/** Reads records for checks, whoever wrote them. */
export interface RecordReader {
  /** How people call it. */
  readonly format: string;
  readonly mask: MaskBy;
  /** Whether a file that begins with this record is of this format: by fields that no other format has. */
  isOf(fields: Fields): boolean;
  /** Throws `RecordProblem` when the record is not of this format. */
  read(record: unknown): ReadRecord;
}

/** One record a line. */
export interface LinesExporter extends ExporterBase, RecordReader {
  readonly format: string;
  readonly layout: 'lines';
  export(row: DatasetRow, context: ExportContext): Exported;
  /** Columns of the records for Parquet. */
  readonly columns: Columns;
  /** Its records name the step of each turn, so that a row can be traced to what was run. */
  readonly namesSteps?: true;
}

interface ExportedFile {
  /** Relative to the format's folder. */
  readonly path: string;
  readonly text: string;
}

/** A folder of files. */
export interface FolderExporter extends ExporterBase {
  readonly layout: 'folder';
  /** `nth`: how many rows of the same instance came before, because such folders hold one trajectory an instance. */
  files(row: DatasetRow, nth: number, context: ExportContext): { files: ExportedFile[]; entry: FolderEntry | null };
  /** Files that are about all rows, once all entries are known. */
  index(entries: readonly FolderEntry[]): ExportedFile[];
}

/** What `index` needs of each row; small. */
export interface FolderEntry {
  readonly instance: string;
  readonly nth: number;
  readonly patch: string;
  readonly model: string;
}

export type Exporter = LinesExporter | FolderExporter;

/** A record as checks see it, whatever the format. */
export interface ReadRecord {
  /** Unique among the records of a file; empty where the format has no name for them. */
  readonly id: string;
  /** The row that it was made of, which several records can share; empty where the format does not say. */
  readonly row: string;
  readonly turns: readonly ReadTurn[];
  /** In the roles of the OpenAI protocol; null for formats without messages. */
  readonly messages: readonly ReadMessage[] | null;
  /** The tools that calls can use; null where the format has no calls. */
  readonly tools: readonly ChatTool[] | null;
  /** Whose turns the file says are trained; null where it does not say. */
  readonly train: readonly string[] | null;
  readonly tokens?: { readonly ids: readonly number[]; readonly labels: readonly number[] };
  /** Whether the record must end with a turn of the model. */
  readonly endsWithTurn: boolean;
  /** What is wrong in ways that only this format knows. */
  readonly problems: readonly string[];
}

export interface ReadTurn {
  /** Index of the message, -1 where there is none. */
  readonly message: number;
  readonly trained: boolean;
  /** The record does not say whether it is trained: then trainers do. */
  readonly unsaid?: true;
  /** Null where the format does not say who wrote it. */
  readonly author: string | null;
  /** Hash of the step; null where the format has none, empty for a row that has no chain. */
  readonly step: string | null;
}

export interface ReadMessage {
  readonly role: string;
  readonly content: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[];
  /** Id of the call that a tool message answers. */
  readonly answers: string | null;
}

/** A record that is not of the format at all. */
export class RecordProblem extends Error {
  override readonly name = 'RecordProblem';
}
