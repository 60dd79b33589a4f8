import { stringify } from 'yaml';
import type { CardAbout } from './about';

/** Licences by the names that Hugging Face knows them by, where those are not the SPDX id in lower case. */
const KNOWN = new Set(
  'apache-2.0 mit bsd-2-clause bsd-3-clause isc mpl-2.0 gpl-2.0 gpl-3.0 lgpl-2.1 lgpl-3.0 agpl-3.0 unlicense zlib cc0-1.0 cc-by-4.0 cc-by-sa-4.0 artistic-2.0 epl-2.0 postgresql wtfpl 0bsd'.split(
    ' ',
  ),
);

/** The YAML block that Hugging Face reads: licences, size, and which file is which configuration and split. */
export function frontMatter({ input, rows, licences, files }: CardAbout): string {
  const total = rows.train + rows.validation;
  const names = [...new Set(licences.map(({ licence }) => licenceName(licence)))].sort();
  const configs = input.formats.flatMap((format) => {
    const own = files.filter((file) => file.format === format && !file.path.endsWith('/') && file.rows > 0);
    // Parquet where there is one: it has its types with it.
    const type = own.some(({ path }) => path.endsWith('.parquet')) ? '.parquet' : '.jsonl';
    const data_files = own.filter(({ path }) => path.endsWith(type)).map(({ split, path }) => ({ split, path }));
    return data_files.length === 0 ? [] : [{ config_name: format, data_files }];
  });
  const block = {
    pretty_name: input.name,
    license: names.length === 1 ? names[0] : names.length === 0 ? 'other' : names,
    task_categories: ['text-generation'],
    tags: ['code', 'agent', 'software-engineering', 'trajectories', 'expert-corrections'],
    size_categories: [sizeCategory(total)],
    ...(configs.length > 0
      ? { configs: configs.map((config, i) => (i === 0 ? { ...config, default: true } : config)) }
      : {}),
  };
  return `---\n${stringify(block, { lineWidth: 0 })}---\n`;
}

function licenceName(licence: string): string {
  const lower = licence.toLowerCase().replace(/-(only|or-later)$/, '');
  return KNOWN.has(lower) ? lower : licence === '' ? 'unknown' : 'other';
}

function sizeCategory(rows: number): string {
  if (rows < 1_000) return 'n<1K';
  if (rows < 10_000) return '1K<n<10K';
  if (rows < 100_000) return '10K<n<100K';
  return rows < 1_000_000 ? '100K<n<1M' : '1M<n<10M';
}
