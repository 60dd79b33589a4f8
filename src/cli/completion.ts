import { Argument, type Command } from 'commander';
import type { Cli } from './context';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const WHERE: Readonly<Record<Shell, string>> = {
  bash: 'pointsman completion bash > ~/.local/share/bash-completion/completions/pointsman',
  zsh: 'echo \'eval "$(pointsman completion zsh)"\' >> ~/.zshrc',
  fish: 'pointsman completion fish > ~/.config/fish/completions/pointsman.fish',
};

/** `completion SHELL`: words of the whole command line for one shell, once and for all: nothing is asked while typing. */
export function addCompletionCommand(completion: Command, cli: Cli, wholeProgram: () => Promise<Command>): void {
  completion
    .addArgument(new Argument('<shell>', 'whose').choices(SHELLS))
    .addHelpText('after', `\n${SHELLS.map((shell) => `${shell}:\n  ${WHERE[shell]}`).join('\n')}`)
    .action(async (shell: Shell) => {
      const script = SCRIPTS[shell](await wholeProgram());
      cli.print({ shell, script }, () => script);
    });
}

interface Place {
  /** Words before it: `['rollout', 'show']`. */
  readonly path: readonly string[];
  readonly command: Command;
}

function placesIn(command: Command, path: readonly string[] = []): Place[] {
  const within = command.commands.flatMap((each) => placesIn(each, [...path, each.name()]));
  return [...within, { path, command }];
}

const optionsOf = ({ options }: Command) => options.filter(({ hidden, long }) => !hidden && long);

/** The deepest places come first, so that `rollout show ID` is known by its first two words. */
function bash(program: Command): string {
  const cases = placesIn(program).map(({ path, command }) => {
    const words = [
      ...command.commands.map((each) => each.name()),
      ...optionsOf(command).map(({ long }) => long),
      '--help',
    ];
    return `    '${path.map((word) => ` ${word}`).join('')}'*) words='${words.join(' ')}' ;;`;
  });
  return [
    '_pointsman() {',
    "  local path='' words='' word",
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == -* ]] || path+=" $word"; done',
    '  case "$path" in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _pointsman pointsman',
  ].join('\n');
}

function fish(program: Command): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  return placesIn(program)
    .flatMap(({ path, command }) => {
      const verbs = command.commands.map((each) => each.name());
      const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`);
      const here = path.length === 0 ? ['__fish_use_subcommand'] : seen;
      const none = verbs.length > 0 && path.length > 0 ? [`not __fish_seen_subcommand_from ${verbs.join(' ')}`] : [];
      const when = (conditions: readonly string[]) =>
        conditions.length === 0 ? '' : ` -n ${quoted(conditions.join('; and '))}`;
      return [
        ...command.commands.map(
          (each) =>
            `complete -c pointsman${when([...here, ...none])} -f -a ${each.name()} -d ${quoted(each.description())}`,
        ),
        ...optionsOf(command).map(
          ({ long, description }) =>
            `complete -c pointsman${when(seen)} -l ${long!.slice(2)} -d ${quoted(description)}`,
        ),
      ];
    })
    .join('\n');
}

const SCRIPTS: Readonly<Record<Shell, (program: Command) => string>> = {
  bash,
  zsh: (program) => `autoload -Uz bashcompinit && bashcompinit\n${bash(program)}`,
  fish,
};
