import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type ExperienceUnit, PointsmanError, parseInput, UnitStatus } from '../contract';
import { exportPeer, exportUnits, importPeer, reliability } from '../setup/experience';
import { shipExperience } from '../store/experience';
import type { ExperienceStore } from '../store/experience/experience';
import { type Cli, look } from './context';
import { shareWithDaemons } from './daemon-environment';
import { table } from './terminal/table';

interface ListFlags {
  readonly state?: string;
  readonly lang?: string;
  readonly words?: string;
}

/** `experience list | show | import | export | stats | forget`: what earlier set-ups taught. */
export function addExperienceCommands(experience: Command, cli: Cli): void {
  experience
    .command('list')
    .description('list the units, the most reliable ones first')
    .option('--state <state>', '`active` or `quarantined`')
    .option('--lang <name>', 'units for one language')
    .option('--words <words>', 'units that hold these words')
    .action((flags: ListFlags) => withStore(cli, (store) => list(cli, store, flags)));
  experience
    .command('show <id>')
    .description('show a unit with its record and earlier versions')
    .action((id: string) =>
      withStore(cli, async (store) => {
        const found = await store.show(id);
        cli.print(found, () => JSON.stringify(found.unit, null, 2));
      }),
    );
  experience
    .command('import <file>')
    .description('import units as JSON lines: our export, or XPU rows; `-` reads standard input')
    .option('--replace', 'units that are there already become what the file says, record included')
    .action((file: string, flags: { replace?: boolean }) =>
      withStore(cli, (store) => importFile(cli, store, file, flags)),
    );
  experience
    .command('export [file]')
    .description('write all units as JSON lines, to standard output without a file')
    .option('--xpu', 'as XPU rows')
    .action((file: string | undefined, flags: { xpu?: boolean }) =>
      withStore(cli, (store) => exportFile(cli, store, file, flags.xpu ?? false)),
    );
  experience
    .command('stats')
    .description('count units, hits and verdicts, and say where they are kept')
    .action(() =>
      withStore(cli, async (store) => {
        const stats = await store.stats();
        cli.print(stats, () =>
          [
            `${stats.units} units: ${stats.active} active, ${stats.quarantined} quarantined; ${stats.shipped} came with the package`,
            `shown to ${stats.runs} runs (${stats.hits} hits); ${stats.successes} successes, ${stats.failures} failures`,
            `database: ${stats.database}, vectors: ${stats.vectors}, embedding: ${stats.embedding}`,
          ].join('\n'),
        );
      }),
    );
  experience
    .command('forget <id>')
    .description('take a unit out for good')
    .action((id: string) =>
      withStore(cli, async (store) => {
        if (!(await store.forget(id))) {
          throw new PointsmanError('NotFound', `there is no unit ${id}`, '`pointsman experience list` shows them.');
        }
        cli.print({ forgotten: id }, () => `forgot ${id}`);
      }),
    );
}

/** Opens the store that a worker of this home uses, with the shipped units in it, and gives it back in any case. */
async function withStore(cli: Cli, work: (store: ExperienceStore) => Promise<void>): Promise<void> {
  shareWithDaemons(cli.settings);
  const store = cli.stores.experience;
  try {
    await shipExperience(store);
    await work(store);
  } finally {
    await store.close();
  }
}

async function list(cli: Cli, store: ExperienceStore, { state, ...others }: ListFlags): Promise<void> {
  const status = state === undefined ? undefined : parseInput(UnitStatus, state, '--state');
  const units = (await store.list({ ...others, status })).sort((a, b) => trust(b) - trust(a));
  cli.print({ units }, () =>
    units.length === 0
      ? 'no units'
      : table(
          units,
          [
            { title: 'UNIT', value: ({ id }) => id },
            { title: 'STATUS', value: (unit) => unit.status },
            { title: 'LANG', value: ({ signals }) => signals.applicability.lang || 'any' },
            { title: 'TRUST', value: (unit) => trust(unit).toFixed(2), right: true },
            { title: 'RUNS', value: ({ telemetry }) => String(telemetry.hits), right: true },
            { title: '+', value: ({ telemetry }) => String(telemetry.successes), right: true },
            { title: '-', value: ({ telemetry }) => String(telemetry.failures), right: true },
            { title: 'ADVICE', value: ({ advice_nl }) => advice_nl[0] ?? '', elastic: true },
          ],
          look().width,
        ),
  );
}

function trust(unit: ExperienceUnit): number {
  return reliability(unit.telemetry);
}

async function importFile(cli: Cli, store: ExperienceStore, file: string, flags: { replace?: boolean }): Promise<void> {
  const { units, repaired, quarantined } = importPeer(read(file), { created: new Date().toISOString() });
  const counts = await store.import(units, flags);
  cli.print({ ...counts, repaired, quarantined }, () =>
    [
      `${counts.inserted} inserted, ${counts.replaced} replaced, ${counts.known} known already`,
      ...repaired.map(({ line, unit, repairs }) => `line ${line}: ${unit} repaired: ${repairs.join('; ')}`),
      ...quarantined.map(({ line, reason }) => `line ${line}: not imported: ${reason}`),
    ].join('\n'),
  );
  if (quarantined.length > 0) process.exitCode = 1;
}

async function exportFile(cli: Cli, store: ExperienceStore, file: string | undefined, xpu: boolean): Promise<void> {
  const units = await store.list();
  const text = xpu ? exportPeer(units) : exportUnits(units);
  if (file === undefined) return cli.print({ units }, () => text.trimEnd());
  writeFileSync(file, text);
  cli.print({ file, units: units.length }, () => `${file}: ${units.length} units`);
}

function read(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new PointsmanError('InvalidInput', `${file}: ${(error as Error).message}`, 'Give a file of JSON lines.');
  }
}
