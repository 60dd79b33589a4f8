/**
 * Texts under names that somebody gave (a workflow id, a rollout, a data set). Each is replaced as a whole and the last to
 * write wins, so that writing again after a retry is safe; a reader sees one or the other.
 */
export interface Documents {
  get(name: string): Promise<string | undefined>;
  put(name: string, text: string): Promise<void>;
  /** Of what is not there too. */
  remove(name: string): Promise<void>;
  /** In no order. */
  names(): Promise<string[]>;
  /** Where a person finds it, whether or not it is there. */
  addressOf(name: string): string;
}
