import type { DatasetFile, DatasetInput, DatasetResult, Price, View } from '../../contract';

/** What a data set's card tells of it. */
export interface CardAbout {
  readonly input: DatasetInput;
  readonly view: View;
  readonly madeBy: string;
  /** Digest of the tokenizer's files; null when lengths are estimated. */
  readonly tokenizer: string | null;
  readonly rows: { readonly train: number; readonly validation: number };
  readonly instances: number;
  readonly figures: Omit<DatasetResult, 'id' | 'folder' | 'files' | 'dropped' | 'card'>;
  readonly licences: readonly { readonly licence: string; readonly rows: number }[];
  readonly profiles: readonly {
    readonly name: string;
    readonly author: string;
    readonly model: string | null;
    readonly scripted: boolean;
    readonly price: Price | null;
  }[];
  readonly costs: readonly {
    readonly method: string;
    readonly rollouts: number;
    readonly usd: number;
    readonly tokens: number;
  }[];
  readonly files: readonly DatasetFile[];
}
