import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cli } from '../../src/cli/context';
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
