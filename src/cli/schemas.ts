import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { PointsmanError } from '../contract';
import { REPOSITORY } from '../home';
import { readText } from '../provision/command';
import type { Cli } from './context';
import { schemaFiles } from './schema-files';

const FOLDER = join(REPOSITORY, 'examples', 'schemas');

/** `schemas write` and `schemas check`: the JSON Schemas in examples/, made from the contract. */
export function addSchemaCommands(program: Command, cli: Cli): void {
  const schemas = program.command('schemas').description('JSON Schemas of everything that people write');
  schemas
    .command('write')
    .description('write them into examples/schemas')
    .action(() => {
      const files = schemaFiles();
      const stale = staleSchemas(files);
      mkdirSync(FOLDER, { recursive: true });
      for (const [name, text] of files) writeFileSync(join(FOLDER, name), text);
      for (const name of stale) if (!files.has(name)) rmSync(join(FOLDER, name));
      cli.print({ files: [...files.keys()], changed: stale }, () => `${files.size} schemas, ${stale.length} changed`);
    });
  schemas
    .command('check')
    .description('fail when a file there is not what the contract says')
    .action(() => {
      const stale = staleSchemas(schemaFiles());
      if (stale.length > 0)
        throw new PointsmanError('InvalidInput', `stale: ${stale.join(', ')}`, 'Run `npm run schemas` and commit.');
      cli.print({ stale }, () => 'all schemas are fresh');
    });
}

/** Files that are missing, differ, or that no schema belongs to any more. */
function staleSchemas(files: ReadonlyMap<string, string>): string[] {
  const changed = [...files].filter(([name, text]) => readText(join(FOLDER, name)) !== text).map(([name]) => name);
  mkdirSync(FOLDER, { recursive: true });
  const strays = readdirSync(FOLDER).filter((name) => name.endsWith('.json') && !files.has(name));
  return [...changed, ...strays];
}
