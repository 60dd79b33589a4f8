import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PointsmanError } from '../contract';
import { readGgufTokenizer } from './gguf-tokenizer';

/** A tokenizer and its chat template, as the files beside a model's weights hold them. */
export interface TokenizerFolder {
  readonly tokenizer: object;
  readonly config: object;
  /** `chat_template.jinja` as `default` and those of `additional_chat_templates/` by name; empty where `config` has them. */
  readonly templates: Readonly<Record<string, string>>;
  /** Of the files' texts. */
  readonly digest: string;
}

/**
 * The folder as it is downloaded, or a `.gguf` file, which holds all of it. Throws `InvalidInput` with the file that cannot
 * be read.
 */
export async function readTokenizerFolder(folder: string): Promise<TokenizerFolder> {
  if (folder.endsWith('.gguf')) return readGgufTokenizer(folder);
  const [tokenizer, config, templates] = await Promise.all([
    textOf(folder, 'tokenizer.json'),
    textOf(folder, 'tokenizer_config.json'),
    templatesIn(folder),
  ]);
  const hash = createHash('sha256');
  for (const text of [tokenizer, config, templates.default ?? '']) hash.update(`${text.length}\n${text}`);
  // Folders without named templates have the digest that they always had.
  for (const [name, text] of Object.entries(templates)) {
    if (name !== 'default') hash.update(`${name}\n${text.length}\n${text}`);
  }
  return {
    tokenizer: jsonOf(folder, 'tokenizer.json', tokenizer),
    config: jsonOf(folder, 'tokenizer_config.json', config),
    templates,
    digest: hash.digest('hex'),
  };
}

/** Sorted by name, `default` first. */
async function templatesIn(folder: string): Promise<Record<string, string>> {
  const plain = await readFile(join(folder, 'chat_template.jinja'), 'utf8').catch(() => undefined);
  const more = join(folder, 'additional_chat_templates');
  const names = (await readdir(more).catch(() => [])).filter((name) => name.endsWith('.jinja')).sort();
  const named = await Promise.all(
    names.map(async (name) => [name.slice(0, -'.jinja'.length), await textOf(more, name)] as const),
  );
  return { ...(plain === undefined ? {} : { default: plain }), ...Object.fromEntries(named) };
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
