import type { Command } from 'commander';

interface Use {
  readonly command: string;
  readonly flags: string;
  readonly about: string;
}

/** A vertical bar begins a column. */
const cell = (text: string) => text.replaceAll('|', '\\|');

/** Every command that does something, with its words before it. */
function commandsIn(command: Command, path = ''): { path: string; command: Command }[] {
  const within = command.commands.flatMap((each) => commandsIn(each, `${path} ${each.name()}`.trim()));
  const does = (command as Command & { _actionHandler?: unknown })._actionHandler;
  return path === '' || !does ? within : [{ path, command }, ...within];
}

/** `docs/cli.md`: all commands, and all options by their name, so that one which means two things is seen. */
export function referenceOf(program: Command): string {
  const commands = commandsIn(program);
  const uses = new Map<string, Use[]>();
  for (const { path, command } of commands) {
    for (const { long, flags, description, hidden } of command.options) {
      if (!long || hidden) continue;
      uses.set(long, [
        ...(uses.get(long) ?? []),
        { command: path, flags: flags.replace(/^-\w, /, ''), about: description },
      ]);
    }
  }
  const rows = [...uses.keys()].sort().flatMap((long) => {
    const meanings = new Map<string, string[]>();
    for (const { flags, about, command } of uses.get(long)!) {
      const meaning = `| \`${cell(flags)}\` | ${cell(about)} |`;
      meanings.set(meaning, [...(meanings.get(meaning) ?? []), `\`${command}\``]);
    }
    return [...meanings].map(([meaning, where]) => `${meaning} ${where.join(', ')} |`);
  });
  return [
    '# The command line',
    '',
    'Made from the program: `UPDATE_DOCS=1 npx jest test/cli/reference` writes it, and the test fails where it is old. `pointsman help NOUN VERB`',
    'says the same with defaults and choices; `pointsman completion SHELL` teaches your shell.',
    '',
    'Every command takes `--json` (one JSON object on standard output, errors too) and `--queue NAME`. Standard output is the answer,',
    'standard error what is said on the way. Exit codes: 0 done, 1 an error, 3 it ran and the outcome is not what was hoped for.',
    '',
    '## Commands',
    '| | |',
    '|---|---|',
    ...commands.map(({ path, command }) => {
      const words = command.registeredArguments.map((each) =>
        each.required ? `<${each.name()}>` : `[${each.name()}]`,
      );
      return `| \`${cell(['pointsman', path, ...words].join(' '))}\` | ${cell(command.description())} |`;
    }),
    '',
    '## Options',
    '| option | what it says | of |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
