import type { Atom, AtomName, GuestFacts } from '../../contract';
import { argument, commandArgument, flagsArgument, listArgument, Refusal, textArgument } from './arguments';
import { shellWords } from './commands';
import { packages } from './package-names';
import { LEAST, VERSION, versioned, withLeast } from './package-versions';
import { quoted, quotedValue } from './quoting';
import { removesEverything } from './removal';

export interface RenderedAtoms {
  /** Shell commands, to be run one after the other in one sandbox: exported variables last from one to the next. */
  readonly commands: string[];
  /** Why an atom gave none: `NAME: REASON`. */
  readonly refused: string[];
}

type Render = (args: Readonly<Record<string, unknown>>, guest: GuestFacts) => string[];

/**
 * Atoms as commands for this container: its interpreter, its package manager, every argument quoted. Spellings of
 * arguments differ in the wild and are all taken. Nothing is thrown: what cannot be rendered is refused with a reason.
 */
export function renderAtoms(atoms: readonly Atom[], guest: GuestFacts): RenderedAtoms {
  const commands: string[] = [];
  const refused: string[] = [];
  for (const { name, args } of atoms) {
    try {
      commands.push(...ATOMS[name](args, guest));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.push(`${name}: ${error.message}`);
    }
  }
  return { commands, refused };
}

const PACKAGES = ['packages', 'name', 'package', 'pkg', 'names', 'package_name'] as const;
const FLAGS = ['flags', 'options'] as const;

/** Every atom by its name. */
const ATOMS: Readonly<Record<AtomName, Render>> = {
  pip_install: (args, guest) => {
    const names = versioned('pip', listArgument(args, ...PACKAGES), args);
    // `-r requirements.txt` alone is a whole install.
    const flags = flagsArgument(args, ...FLAGS);
    if (names.length === 0 && flags.some((flag) => /^(?:-r|--requirement|-e|--editable)/.test(flag))) {
      return [pip(guest, 'install', flags)];
    }
    return [pip(guest, 'install', [...flags, ...packages('pip', names)])];
  },
  pip_pin: (args, guest) => {
    const pinned = packages('pip', versioned('pip', listArgument(args, ...PACKAGES), args));
    if (!pinned.every((each) => /[=<>~!]/.test(each))) throw new Refusal('needs "spec"');
    return [pip(guest, 'install', pinned)];
  },
  set_env: (args) => {
    const key = textArgument(args, 'key', 'var', 'name', 'variable').trim();
    if (!/^[A-Za-z_]\w*$/.test(key)) throw new Refusal(`${JSON.stringify(key.slice(0, 80))} is no variable`);
    const value = argument(args, 'value', 'val') === '' ? '' : textArgument(args, 'value', 'val');
    return [`export ${key}=${value === '' ? "''" : quotedValue(value)}`];
  },
  // pytest reads the variable on every run, however it is started; the value is split like a command line.
  set_pytest_flag: (args) => [
    `export PYTEST_ADDOPTS="\${PYTEST_ADDOPTS:+$PYTEST_ADDOPTS }"${quoted(pytestOptions(args))}`,
  ],
  // A umask belongs to a process, so it ends with each command. BASH_ENV names a file that every bash reads when it starts,
  // those of our sandbox and those of scripts alike; a file that was there before is read first.
  set_umask: (args) => {
    // `0o022` is how Python writes it.
    const mask = textArgument(args, 'value', 'umask', 'mask')
      .trim()
      .replace(/^0o(?=[0-7]{3}$)/i, '0');
    if (!/^0?[0-7]{3}$/.test(mask)) throw new Refusal(`${JSON.stringify(mask.slice(0, 20))} is no umask`);
    const lines = `[ -z "$POINTSMAN_BASH_ENV" ] || . "$POINTSMAN_BASH_ENV"\numask ${mask}\n`;
    return [
      `mkdir -p /etc/pointsman && printf %s ${quoted(lines)} > /etc/pointsman/bash-env && ` +
        `{ [ "$BASH_ENV" = /etc/pointsman/bash-env ] || export POINTSMAN_BASH_ENV="$BASH_ENV"; } && ` +
        `export BASH_ENV=/etc/pointsman/bash-env && umask ${mask}`,
    ];
  },
  set_django_setting: djangoSetting,
  or_upgrade_pkg: (args, guest) => {
    const manager = argument(args, 'package_manager', 'manager') ?? 'pip';
    const names = listArgument(args, ...PACKAGES);
    // An upgrade's version is the least that will do, however it is called.
    const least = argument(args, ...LEAST, ...VERSION);
    if (manager === 'apt' || manager === 'apt-get') return apt(guest, withLeast('apt', names, least));
    if (manager === 'npm') return npm(guest, withLeast('npm', names, least));
    if (manager === 'conda') return conda(guest, withLeast('conda', names, least), []);
    if (manager !== 'pip' && manager !== 'pip3')
      throw new Refusal(`unknown package manager ${JSON.stringify(manager)}`);
    return [pip(guest, 'install', ['--upgrade', ...packages('pip', withLeast('pip', names, least))])];
  },
  apt_install: (args, guest) => apt(guest, versioned('apt', listArgument(args, ...PACKAGES), args)),
  conda_install: (args, guest) =>
    conda(guest, versioned('conda', listArgument(args, ...PACKAGES), args), listArgument(args, 'channels', 'channel')),
  npm_install: (args, guest) =>
    npm(guest, versioned('npm', listArgument(args, ...PACKAGES), args), flagsArgument(args, ...FLAGS)),
  shell: (args) => [verbatim(commandArgument(args, ...COMMAND))],
  adjust_command: (args) => [verbatim(commandArgument(args, 'modified_command', ...COMMAND))],
  dated_world: () => {
    throw new Refusal('its day is that of the repository, so the agent makes it');
  },
};

const COMMAND = ['cmd', 'command', 'commands', 'cmds'] as const;

/** The interpreter that is active, so that a package does not land beside the environment. */
function pip(guest: GuestFacts, verb: string, rest: readonly string[]): string {
  const python = guest.python ?? (guest.venv ? `${guest.venv}/bin/python` : 'python3');
  return [python, '-m', 'pip', verb, ...rest].map(quoted).join(' ');
}

function apt(guest: GuestFacts, names: readonly string[]): string[] {
  const wanted = packages('apt', names).map(quoted).join(' ');
  if (guest.packageManager !== 'apt') {
    throw new Refusal(
      `names of Debian packages, and this container has ${guest.packageManager ?? 'no package manager'}`,
    );
  }
  return ['apt-get update', `DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ${wanted}`];
}

function conda(guest: GuestFacts, names: readonly string[], channels: readonly string[]): string[] {
  if (!guest.conda) throw new Refusal('this container has no conda');
  const from = channels.flatMap((channel) => {
    if (!/^[A-Za-z0-9][\w.-]*$/.test(channel)) throw new Refusal(`${JSON.stringify(channel)} is no channel`);
    return ['-c', channel];
  });
  return [['conda', 'install', '-y', ...from, ...packages('conda', names)].map(quoted).join(' ')];
}

/** Without names: what the project declares. npm leaves package.json as it was; the others have no such option. */
function npm(guest: GuestFacts, names: readonly string[], flags: readonly string[] = []): string[] {
  if (guest.node === null) throw new Refusal('this container has no npm, yarn or pnpm');
  if (names.length === 0) return [[guest.node, 'install', ...flags].map(quoted).join(' ')];
  const verb = guest.node === 'npm' ? ['npm', 'install', '--no-save'] : [guest.node, 'add'];
  return [[...verb, ...flags, ...packages('npm', names)].map(quoted).join(' ')];
}

/** A command as its author wrote it; the sandbox is what contains it. Only what would empty the machine is refused. */
function verbatim(command: string): string {
  if (command.length > 4_000) throw new Refusal('a command longer than 4,000 characters');
  if (removesEverything(command)) throw new Refusal('removes everything');
  return command;
}

const FOLDER = '/opt/pointsman/django';
const MODULE = 'pointsman_django_settings';

/**
 * A setting that outlives the shell: a settings module of our own, outside of the repository, takes over the project's and
 * sets the name after it; DJANGO_SETTINGS_MODULE then names ours. Later settings are appended, the last one counts.
 */
function djangoSetting(args: Readonly<Record<string, unknown>>, guest: GuestFacts): string[] {
  const settings = guest.django?.settings;
  if (settings === undefined) throw new Refusal('no Django settings module is known here');
  if (!/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(settings))
    throw new Refusal(`${JSON.stringify(settings)} is no module`);
  const key = textArgument(args, 'key', 'name', 'setting').trim();
  if (!/^[A-Z][A-Z0-9_]*$/.test(key)) throw new Refusal(`${JSON.stringify(key.slice(0, 80))} is no name of a setting`);
  const file = `${FOLDER}/${MODULE}.py`;
  const line = `${key} = ${pythonLiteral(argument(args, 'value', 'val') ?? null)}`;
  const first =
    settings === MODULE ? [] : [`[ -e ${file} ] || printf '%s\\n' ${quoted(`from ${settings} import *`)} > ${file}`];
  return [
    [`mkdir -p ${FOLDER}`, ...first, `printf '%s\\n' ${quoted(line)} >> ${file}`].join('\n'),
    `export DJANGO_SETTINGS_MODULE=${MODULE} PYTHONPATH=${FOLDER}"\${PYTHONPATH:+:$PYTHONPATH}"`,
  ];
}

function pythonLiteral(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  // Models write Python's words as text.
  if (value === 'True' || value === 'False' || value === 'None') return value;
  // A JSON string is a Python string, apart from lone surrogates, which neither can print.
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value as Record<string, unknown>);
    return `{${entries.map(([key, each]) => `${JSON.stringify(key)}: ${pythonLiteral(each)}`).join(', ')}}`;
  }
  throw new Refusal('a value that Python cannot write');
}

type Args = Readonly<Record<string, unknown>>;

/**
 * Options of pytest as words of one command line, each quoted: `{name, value}`, or options with their values as one text
 * or a list. An option may be followed by one value; what is neither is refused.
 */
function pytestOptions(args: Args): string {
  const words = wordsOf(argument(args, 'name', 'flag', 'option', 'flags', 'options'));
  const [first = ''] = words;
  const named = first.startsWith('-') ? first : `--${first}`;
  if (!OPTION.test(named)) throw new Refusal(`${JSON.stringify(first.slice(0, 80))} is no option of pytest`);
  const value = argument(args, 'value', 'val');
  const alone = words.length === 1;
  if (!alone) {
    if (value !== undefined && value !== '') throw new Refusal('a value for several options');
    return [named, ...words.slice(1)].map((word, at, all) => checked(word, all[at - 1])).join(' ');
  }
  const [, name = '', inline] = /^(--?[A-Za-z][\w-]*)(?:=(.*))?$/s.exec(named) ?? [];
  const said =
    inline ?? (value === undefined || value === '' || value === true ? undefined : textArgument(args, 'value', 'val'));
  return said === undefined ? name : `${name}${name.startsWith('--') ? '=' : ' '}${quoted(said)}`;
}

const OPTION = /^--?[A-Za-z][\w-]*(?:=.*)?$/s;

function wordsOf(given: unknown): string[] {
  const items: unknown[] = Array.isArray(given) ? given : [given];
  return items.flatMap((item) => {
    if (typeof item !== 'string' || item.trim() === '') throw new Refusal('needs "name"');
    if (item.includes('\0')) throw new Refusal('"name" holds a NUL');
    return shellWords(item);
  });
}

function checked(word: string, before: string | undefined): string {
  const valued = before !== undefined && /^--?[A-Za-z][\w-]*$/.test(before);
  if (!OPTION.test(word) && !valued) throw new Refusal(`${JSON.stringify(word.slice(0, 80))} is no option of pytest`);
  return quoted(word);
}
