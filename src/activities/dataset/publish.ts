import { createHash } from 'node:crypto';
import { copyFile, link, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type DatasetFile,
  DatasetManifest,
  type DatasetResult,
  PointsmanError,
  type ScoredFigures,
} from '../../contract';
import { cardOf } from '../../dataset/card';
import { axolotlRecipe } from '../../dataset/recipes/axolotl';
import type { RecipeFiles } from '../../dataset/recipes/hyper-parameters';
import { trlRecipe } from '../../dataset/recipes/trl';
import type { Deps } from '../../deps';
import { packageVersion } from '../../home';
import type { ChosenRows } from './selection';
import type { DatasetSetting } from './setting';

interface Publication {
  /** Folder that holds the files. */
  readonly draft: string;
  readonly setting: DatasetSetting;
  readonly chosen: ChosenRows;
  readonly files: readonly DatasetFile[];
  readonly scored?: ScoredFigures;
}

/** Puts the folder of a data set together and in its place. Nothing in it depends on when or by which run it was made. */
export async function publishDataset(
  { blobs, results }: Pick<Deps, 'blobs' | 'results'>,
  { draft, setting, chosen, files, scored }: Publication,
): Promise<Omit<DatasetResult, 'id'>> {
  const { input, view, tokenizer, profiles } = setting;
  const madeBy = `pointsman ${packageVersion()}`;
  const { figures, rows } = chosen;
  const about = {
    ...chosen,
    input,
    view,
    madeBy,
    tokenizer,
    profiles,
    files,
    template: setting.template ?? [],
    scored,
  };
  const card = cardOf(about);
  const written = {
    ...figures,
    files: [...files],
    template: [...(setting.template ?? [])],
    ...(scored ? { scored } : {}),
  };
  const { folder } = await results.replace('datasets', input.name, async (target) => {
    await linkTree(draft, target, files);
    const texts = new Map([
      ['README.md', Buffer.from(card)],
      ['dropped.jsonl', await blobs.get(chosen.dropped.sha256)],
      ['rows.jsonl', await blobs.get(chosen.origins.sha256)],
      ...recipesFor(input.name, setting, files).map(([path, text]) => [path, Buffer.from(text)] as const),
    ]);
    await mkdir(join(target, 'recipes'), { recursive: true });
    for (const [path, bytes] of texts) await writeFile(join(target, path), bytes);
    const manifest: DatasetManifest = {
      name: input.name,
      madeBy,
      input,
      view,
      prompts: sha256(JSON.stringify(setting.prompts)),
      tokenizer,
      rollouts: setting.rollouts,
      rows,
      result: written,
      files: [
        ...files.map(({ path, sha256: digest, bytes }) => ({ path, sha256: digest, bytes })),
        ...[...texts].map(([path, bytes]) => ({ path, sha256: sha256(bytes), bytes: bytes.length })),
      ].sort((a, b) => (a.path < b.path ? -1 : 1)),
    };
    await writeFile(join(target, 'manifest.json'), `${JSON.stringify(DatasetManifest.parse(manifest), null, 2)}\n`);
  });
  return { folder, ...written, dropped: chosen.dropped, card: await blobs.put(card) };
}

/** Recipes for the formats that there are; a trainer that would lose the mask gets none. */
function recipesFor(name: string, { input }: DatasetSetting, files: readonly DatasetFile[]): [string, string][] {
  const of = (format: string, type: string): RecipeFiles | undefined => {
    const path = (split: string) =>
      files.find((file) => file.format === format && file.split === split && file.path.endsWith(type) && file.rows > 0)
        ?.path;
    const train = path('train');
    const validation = path('validation');
    const common = { name, maxTokens: input.maxTokens, seed: input.seed };
    return train ? { ...common, train: `../${train}`, validation: validation ? `../${validation}` : null } : undefined;
  };
  const trl = of('trl', '.parquet') ?? of('trl', '.jsonl');
  const axolotl = of('axolotl', '.jsonl') ?? of('universal', '.jsonl');
  return [
    ...(trl ? [['recipes/sft_trl.py', trlRecipe(trl)] as [string, string]] : []),
    ...(axolotl ? [['recipes/axolotl.yaml', axolotlRecipe(axolotl)] as [string, string]] : []),
  ];
}

/** The files of a draft, linked rather than copied: they are large, and a retry needs them again. */
async function linkTree(draft: string, target: string, files: readonly DatasetFile[]): Promise<void> {
  for (const { path } of files) {
    const names = path.endsWith('/')
      ? await readdir(join(draft, path), { recursive: true, withFileTypes: true })
      : undefined;
    if (!names) await linked(join(draft, path), join(target, path));
    for (const entry of names ?? []) {
      if (!entry.isFile()) continue;
      const from = join(entry.parentPath, entry.name);
      const to = join(target, from.slice(draft.length));
      await mkdir(join(to, '..'), { recursive: true });
      await linked(from, to);
    }
  }
}

async function linked(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') {
      throw new PointsmanError(
        'NotFound',
        `${from} is not there, although it was written for this data set`,
        'Workers that share runs must share their home, or a store: `store.shared` in pointsman.yaml.',
      );
    }
    // File systems without hard links.
    await copyFile(from, to);
  });
}

function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
