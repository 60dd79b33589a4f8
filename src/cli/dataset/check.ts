import { type Command, Option } from 'commander';
import { type Author, DatasetFormat, Step } from '../../contract';
import { createChatTokenizer } from '../../dataset/chat-tokenizer';
import { type CheckedFile, checkRecords } from '../../dataset/check';
import { count, grouped } from '../../pages/figures';
import type { BlobStore } from '../../store/blobs';
import { readTokenizerFolder } from '../../store/tokenizer-files';
import type { Cli } from '../context';
import { wholeOption } from '../options';
import { rowsOfFile } from '../rows-of-file';
import { safeLine } from '../terminal/safe-text';

interface CheckFlags {
  readonly format?: DatasetFormat;
  readonly maxTokens?: number;
  readonly tokenizer?: string;
}

/** `dataset check`: a training file on its own, as its trainer will see it. Exit code 1 with problems. */
export function addDatasetCheck(dataset: Command, cli: Cli): void {
  dataset
    .command('check <file>')
    .description('check any training file on its own: masks, tools, ids, lengths, duplicates')
    .addOption(
      new Option('--format <name>', 'instead of the one its first record looks like').choices(DatasetFormat.options),
    )
    .option('--max-tokens <n>', 'say which rows are longer', wholeOption)
    .option(
      '--tokenizer <dir>',
      'folder of tokenizer.json, or a .gguf file: counts with it, and tries its chat template on each row',
    )
    .action(async (file: string, flags: CheckFlags) => {
      const { proven, ...check } = await checkFile(file, flags, cli.blobs);
      cli.print(check, () => asText(file, { proven, ...check }));
      if (check.problems.length > 0) process.exitCode = 1;
    });
}

/** Throws `NotFound` and `InvalidInput`; what is wrong inside of the file is among its problems. */
export async function checkFile(
  file: string,
  { format, maxTokens, tokenizer }: CheckFlags = {},
  steps?: Pick<BlobStore, 'get'>,
): Promise<CheckedFile> {
  const options = {
    file,
    format,
    maxTokens,
    ...(steps ? { authorOf: authorIn(steps) } : {}),
    ...(tokenizer ? { tokenizer: await createChatTokenizer(await readTokenizerFolder(tokenizer)) } : {}),
  };
  return checkRecords(rowsOfFile(file), options);
}

/** Who made a step that this store has. Each is read once: formats of one record a turn name it again and again. */
function authorIn(steps: Pick<BlobStore, 'get'>): (step: string) => Promise<Author | undefined> {
  const known = new Map<string, Author | undefined>();
  return async (step) => {
    if (!known.has(step)) {
      const bytes = await steps.get(step).catch(() => undefined);
      const read = bytes && Step.safeParse(JSON.parse(bytes.toString('utf8')));
      known.set(step, read?.data?.turn.author);
    }
    return known.get(step);
  };
}

function asText(
  file: string,
  { format, rows, turns, trainedTurns, expertTurns, proven, mask, problems }: CheckedFile,
): string {
  const experts = expertTurns === null ? 'it does not say whose' : `${count(expertTurns, 'turn')} of experts`;
  return [
    `${safeLine(file)}: ${format ?? 'no records'}`,
    ...(mask === null ? [] : [mask]),
    `${count(rows, 'row')}, ${grouped(trainedTurns)} of ${count(turns, 'turn')} trained, ${experts}`,
    ...(proven > 0
      ? [`${count(proven, 'turn')} compared with ${proven === 1 ? 'its step' : 'their steps'} in this store`]
      : []),
    ...(problems.length === 0
      ? ['no problems']
      : [count(problems.length, 'problem'), ...problems.map((each) => `  ${safeLine(each)}`)]),
  ].join('\n');
}
