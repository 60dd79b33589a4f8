import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Slices of real functions that were checked by running them; see the README beside them. */
const RECORDED = join(__dirname, '../../../../../shared/cases/cases.jsonl');

export interface RecordedSlice {
  readonly qualname: string;
  readonly slice: readonly {
    readonly module: string;
    readonly name: string;
    readonly file: string;
    readonly lines: readonly [number, number];
    readonly out_of_file: boolean;
  }[];
  /** Like `inflection/__init__.py:419-426 …`. */
  readonly import_time_effects: readonly string[];
  /** Arguments, as Python writes a tuple and a dictionary; some show values that cannot be written. */
  readonly sample_inputs: readonly string[];
}

export interface RecordedPackage {
  readonly id: string;
  readonly source: { readonly name: string; readonly version: string };
  readonly import_root: string;
  readonly targets: readonly RecordedSlice[];
}

/** Empty where the recorded cases are not beside the checkout. */
export function recordedPackages(): RecordedPackage[] {
  if (!existsSync(RECORDED)) return [];
  return readFileSync(RECORDED, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as RecordedPackage & { kind: string })
    .filter(({ kind }) => kind === 'E');
}

/** A package's source distribution, unpacked: fetched once, kept in the temporary folder. */
export function unpacked(name: string, version: string): string {
  const folder = join(tmpdir(), 'pointsman-test-sdists', `${name}-${version}`);
  if (!existsSync(folder)) {
    const work = `${folder}.${process.pid}`;
    mkdirSync(work, { recursive: true });
    const fetch = ['download', '-q', '--no-deps', '--no-binary', ':all:', '-d', work, `${name}==${version}`];
    execFileSync('pip', fetch, { stdio: 'pipe', timeout: 120_000 });
    const archive = readdirSync(work).find((each) => /\.(tar\.gz|zip)$/.test(each))!;
    execFileSync('tar', ['-xf', join(work, archive), '-C', work]);
    rmSync(join(work, archive));
    renameSync(join(work, readdirSync(work)[0]!), folder);
    rmSync(work, { recursive: true });
  }
  return folder;
}
