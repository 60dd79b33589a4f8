import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import { Cli } from '../../src/cli/context';
import { RENAMED } from '../../src/cli/renamed';
import { REPOSITORY } from '../../src/home';
import { wholeProgram } from '../../src/main';
import { referenceOf } from './reference';
import { runCli } from './run-cli';

it('docs/cli.md is the program', async () => {
  const file = join(REPOSITORY, 'docs', 'cli.md');
  const reference = referenceOf(await wholeProgram(new Cli()));
  if (process.env.UPDATE_DOCS) writeFileSync(file, reference);
  expect(readFileSync(file, 'utf8')).toBe(reference);
});

/** Every command of the program by its words, with its options. */
async function optionsByCommand(): Promise<ReadonlyMap<string, readonly Option[]>> {
  const found = new Map<string, readonly Option[]>();
  const add = (command: Command, path: string): void => {
    found.set(path, command.options);
    for (const name of [command.name(), ...command.aliases()]) {
      if (path.split(' ').at(-1) !== name) found.set(name, command.options);
      for (const each of command.commands) add(each, `${name} ${each.name()}`);
    }
  };
  for (const command of (await wholeProgram(new Cli())).commands) add(command, command.name());
  return found;
}

it('an option takes a value in all commands or in none', async () => {
  const kinds = new Map<string, Set<boolean>>();
  for (const options of (await optionsByCommand()).values())
    for (const { long, flags } of options) kinds.set(long!, (kinds.get(long!) ?? new Set()).add(/[<[]/.test(flags)));
  expect([...kinds].filter(([, kind]) => kind.size > 1).map(([name]) => name)).toEqual([]);
});

it('what was renamed is gone under its old name, and is there under the new one', async () => {
  const commands = await optionsByCommand();
  for (const [command, names] of Object.entries(RENAMED)) {
    const now = commands.get(command)?.map(({ long }) => long) ?? [];
    expect([command, now]).toEqual([command, expect.arrayContaining(Object.values(names))]);
    expect([command, now.filter((name) => Object.hasOwn(names, name!))]).toEqual([command, []]);
  }
});

/** Bash itself, with the words that stand before the cursor. */
function completed(script: string, ...words: string[]): string[] {
  const line = `${script}\nCOMP_WORDS=(pointsman ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _pointsman; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return spawnSync('bash', ['-c', line], { encoding: 'utf8' }).stdout.trim().split('\n');
}

it('completes nouns, verbs and options, behind ids too', async () => {
  const { stdout: script } = await runCli(['completion', 'bash']);
  expect(completed(script, 'ro')).toEqual(['rollout']);
  expect(completed(script, 'rollout', 'f')).toEqual(['fork']);
  expect(completed(script, 'rollout', 'show', 'rollout/x', '--fu')).toEqual(['--full']);
  expect(completed(script, '--json', 'setup', 'sh')).toEqual(['show']);
  const fish = (await runCli(['completion', 'fish'])).stdout;
  expect(fish).toContain("complete -c pointsman -n '__fish_use_subcommand' -f -a rollout -d ");
  expect(fish).toContain("-n '__fish_seen_subcommand_from rollout; and __fish_seen_subcommand_from show' -l full ");
});
