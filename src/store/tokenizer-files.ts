import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PointsmanError } from '../contract';

/** A tokenizer and its chat template, as the files beside a model's weights hold them. */
export interface TokenizerFolder {
  readonly tokenizer: object;
  readonly config: object;
  /** `chat_template.jinja`, where there is one; else the template is in `config`. */
  readonly template?: string;
  /** Of the files' texts. */
  readonly digest: string;
}

/** Throws `InvalidInput` with the file that cannot be read. */
export async function readTokenizerFolder(folder: string): Promise<TokenizerFolder> {
  const [tokenizer, config, template] = await Promise.all([
    textOf(folder, 'tokenizer.json'),
    textOf(folder, 'tokenizer_config.json'),
    readFile(join(folder, 'chat_template.jinja'), 'utf8').catch(() => undefined),
  ]);
  const hash = createHash('sha256');
  for (const text of [tokenizer, config, template ?? '']) hash.update(`${text.length}\n${text}`);
  return {
    tokenizer: jsonOf(folder, 'tokenizer.json', tokenizer),
    config: jsonOf(folder, 'tokenizer_config.json', config),
    template,
    digest: hash.digest('hex'),
  };
}

async function textOf(folder: string, name: string): Promise<string> {
  return readFile(join(folder, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new PointsmanError(
      'InvalidInput',
      `tokenizer: ${join(folder, name)} cannot be read: ${error.message}`,
      'Give a folder with tokenizer.json and tokenizer_config.json, on the host that reads it.',
    );
  });
}

function jsonOf(folder: string, name: string, text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch (error) {
    throw new PointsmanError('InvalidInput', `tokenizer: ${join(folder, name)}: not JSON: ${(error as Error).message}`);
  }
}
