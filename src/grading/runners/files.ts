import { posix } from 'node:path';
import { quote } from '../../rollout/shell';
import { readCfg } from '../../setup/repository/cfg';
import { readMakefile } from '../../setup/repository/makefile';
import { readJson, readToml, stringsOf, tablesOf } from '../../setup/repository/tables';
import { programOf, type ReporterName } from '../reporters/reporter';

/** What a command starts through a file: command lines, and the files that say so, from the work directory. */
export interface Led {
  readonly commands: readonly string[];
  readonly files: readonly string[];
  /** Folder that the commands run in. */
  readonly folder: string;
  /** The program takes the words of this runner itself, as one that ends in `unittest.main()` does. */
  readonly isRunner?: ReporterName;
}

export type ReadFile = (path: string) => string | undefined;

/** Ways by which a command leads to others, each tried in turn: the words of a simple command and the folder it runs in. */
const LEADS: readonly ((words: readonly string[], folder: string, read: ReadFile) => Led | undefined)[] = [
  shell,
  make,
  tox,
  nox,
  packageScript,
  hatchTest,
  setupPy,
  pythonProgram,
  just,
];

/**
 * Where a simple command leads to through a file; undefined for one that leads nowhere that we know. `by` is the program
 * that starts it, for scripts that only this program knows.
 */
export function ledBy(words: readonly string[], by: string, folder: string, read: ReadFile): Led | undefined {
  if (/^(hatch|pdm|rye|pipenv)$/.test(by)) {
    const script = projectScript(words, folder, read);
    if (script !== undefined) return script;
  }
  for (const lead of LEADS) {
    const led = lead(words, folder, read);
    if (led !== undefined) return led;
  }
  return undefined;
}

const SHELLS = ['bash', 'sh', 'dash', 'zsh', 'ksh', 'source', '.'];

/** `bash -c '…'`, `bash ci/test.sh`, `./run_tests.sh`, `source x`. */
function shell(words: readonly string[], folder: string, read: ReadFile): Led | undefined {
  const program = words[0]!.replace(/^.*\/(?=(ba|da|z|k)?sh$)/, '');
  if (program === 'eval') return { commands: [words.slice(1).join(' ')], files: [], folder };
  const isShell = SHELLS.includes(program);
  let at = isShell ? 1 : 0;
  while (isShell && at < words.length && /^[-+]/.test(words[at]!)) {
    if (/^-\w*c$/.test(words[at]!)) return { commands: words.slice(at + 1, at + 2), files: [], folder };
    at += /^-\w*o$/.test(words[at]!) ? 2 : 1;
  }
  const name = words[at];
  if (name === undefined || (!isShell && !name.includes('/'))) return undefined;
  const path = posix.join(folder, name);
  const text = read(path);
  if (text === undefined) return undefined;
  const interpreter = /^#!\s*(\S+)(?:\s+(?:-S\s+)?(\S+))?/.exec(text);
  const run = programOf(interpreter?.[1]?.endsWith('/env') ? interpreter[2] : interpreter?.[1]);
  if (!isShell && run === 'python') {
    return pythonProgram(['python', name, ...words.slice(1)], folder, read);
  }
  if (!isShell && interpreter && !SHELLS.includes(run)) return undefined;
  return { commands: [text], files: [path], folder };
}

function make(words: readonly string[], folder: string, read: ReadFile): Led | undefined {
  if (!/^g?make$/.test(programOf(words[0]))) return undefined;
  let where = folder;
  let named: string | undefined;
  const targets: string[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at]!;
    if (/^(-C|--directory)$/.test(word)) where = posix.join(where, words[++at] ?? '');
    else if (/^-C./.test(word)) where = posix.join(where, word.slice(2));
    else if (/^(-f|--file|--makefile)$/.test(word)) named = words[++at];
    else if (/^-[jlo]$/.test(word) && /^\d/.test(words[at + 1] ?? '')) at++;
    else if (!word.startsWith('-') && !word.includes('=')) targets.push(word);
  }
  const names = named === undefined ? ['GNUmakefile', 'makefile', 'Makefile'] : [named];
  const path = names.map((name) => posix.join(where, name)).find((each) => read(each) !== undefined);
  if (path === undefined) return undefined;
  const makefile = readMakefile(read(path)!);
  const first = /^([^\s#:=.][^\s:=#]*)\s*:(?!=)/m.exec(read(path)!)?.[1];
  const wanted = targets.length > 0 ? targets : first === undefined ? [] : [first];
  const seen = new Set<string>();
  const recipe = (target: string): string[] => {
    if (seen.has(target)) return [];
    seen.add(target);
    return [...makefile.prerequisites(target).flatMap(recipe), ...makefile.recipe(target)];
  };
  const commands = wanted.flatMap(recipe).map((line) =>
    makefile
      .expand(line)
      .replace(/\$[({]MAKE[)}]/g, 'make')
      .replaceAll('$$', '$'),
  );
  return { commands, files: [path], folder: where };
}

function tox(words: readonly string[], folder: string, read: ReadFile): Led | undefined {
  const program = programOf(words[0]);
  if (program !== 'tox' && !(program === 'python' && words[1] === '-m' && words[2] === 'tox')) return undefined;
  const environment = optionOf(words, /^(-e|--env|-\w*e)$/) ?? '';
  const at = (name: string) => posix.join(folder, name);
  const own = read(at('tox.toml'));
  const pyproject = readToml(read(at('pyproject.toml')));
  const inPyproject = tablesOf(tablesOf(pyproject.tool).tox);
  const legacy = inPyproject.legacy_tox_ini;
  const ini: [string, string] | undefined =
    read(at('tox.ini')) !== undefined
      ? ['tox.ini', read(at('tox.ini'))!]
      : typeof legacy === 'string'
        ? ['pyproject.toml', legacy]
        : read(at('setup.cfg'))?.includes('tox:tox')
          ? ['setup.cfg', read(at('setup.cfg'))!]
          : undefined;
  if (ini) {
    const sections = readCfg(ini[1]);
    const names = environment.split(',').map((name) => `testenv:${name}`);
    const commands = [...names, 'testenv'].map((name) => sections[name]?.commands).find((each) => each !== undefined);
    return { commands: toxCommands(commands ?? ''), files: [at(ini[0])], folder };
  }
  const toml = own === undefined ? inPyproject : readToml(own);
  const table = tablesOf(tablesOf(toml.env)[environment]).commands ?? tablesOf(toml.env_run_base).commands;
  if (!Array.isArray(table)) return undefined;
  const commands = table.map((command) => stringsOf(command).map(quote).join(' '));
  return { commands, files: [at(own === undefined ? 'pyproject.toml' : 'tox.toml')], folder };
}

/** Commands of tox as a shell would take them: its own names replaced, conditions and prefixes taken off. */
function toxCommands(text: string): string[] {
  return text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/^[\w,!{}.*-]+:\s+/, '')
        .replace(/^-\s*/, '')
        .replace(/\{env(python|bindir)\}(\/python)?/g, 'python')
        .replace(/\{toxinidir\}/g, '.')
        .replace(
          /\{posargs(?::([^{}]{0,400}(?:\{[^{}]{0,100}\}[^{}]{0,100}){0,10}))?\}/g,
          (_, usual?: string) => usual ?? '',
        ),
    )
    .filter(Boolean);
}

/** Words that a Python program hands to another process: `session.run("pytest", …)`, `subprocess.run(["pytest"])`. */
function startedIn(python: string): string[] {
  const text = String.raw`[rfbu]{0,2}(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')`;
  const call = new RegExp(
    String.raw`\b(?:run|run_always|call|check_call|check_output|Popen|system|popen|execvp?|sh|local)\(\s*[[(]?\s*(?:sys\.executable\s*,\s*)?((?:${text}\s*,?\s*)+)`,
    'g',
  );
  return [...python.matchAll(call)].map((found) => {
    const parts = [...found[1]!.matchAll(new RegExp(text, 'g'))].map(([part]) =>
      part.replace(/^\w*(["'])(.*)\1$/s, '$2'),
    );
    const interpreted = found[0].includes('sys.executable') ? 'python ' : '';
    return interpreted + (parts.length === 1 ? parts[0]! : parts.map(quote).join(' '));
  });
}

function nox(words: readonly string[], folder: string, read: ReadFile): Led | undefined {
  const program = programOf(words[0]);
  if (program !== 'nox' && !(program === 'python' && words[1] === '-m' && words[2] === 'nox')) return undefined;
  const path = posix.join(folder, optionOf(words, /^(-f|--noxfile)$/) ?? 'noxfile.py');
  const text = read(path);
  if (text === undefined) return undefined;
  const wanted = optionOf(words, /^(-s|-e|--sessions?)$/)?.replace(/[-(][\d.]+.*$|\(.*$/s, '');
  const blocks = text.split(/^(?=@|def |[A-Za-z_]\w* *=)/m);
  // A decorator and what it decorates are one block.
  const sessions: string[] = [];
  let decorators = '';
  for (const block of blocks) {
    if (block.startsWith('@')) decorators += block;
    else {
      if (decorators.includes('nox') || decorators.includes('session')) sessions.push(decorators + block);
      decorators = '';
    }
  }
  const named = (block: string) => [
    /name\s*=\s*["']([^"']+)/.exec(block.split(/^def /m)[0]!)?.[1],
    /^def (\w+)/m.exec(block)?.[1],
    /^def (\w+)/m.exec(block)?.[1]?.replaceAll('_', '-'),
  ];
  const chosen = wanted === undefined ? sessions : sessions.filter((block) => named(block).includes(wanted));
  const found = chosen.flatMap(startedIn);
  // What a session starts by a function of its own stands elsewhere in the file.
  return { commands: found.length > 0 ? found : startedIn(text), files: [path], folder };
}

/** `npm test`, `yarn lint`, `pnpm run x`: scripts of package.json, with what npm runs before and after them. */
function packageScript(words: readonly string[], folder: string, read: ReadFile): Led | undefined {
  const program = programOf(words[0]);
  if (!/^(npm|yarn|pnpm|bun)$/.test(program)) return undefined;
  let where = folder;
  const names: string[] = [];
  for (let at = 1; at < words.length && words[at] !== '--'; at++) {
    const word = words[at]!;
    if (/^(--prefix|--cwd|-C|--dir)$/.test(word)) where = posix.join(where, words[++at] ?? '');
    else if (/^(-w|--workspace|--filter)$/.test(word)) at++;
    else if (!word.startsWith('-')) names.push(word);
  }
  const name = names[0] === 'run' || names[0] === 'run-script' ? names[1] : names[0] === 't' ? 'test' : names[0];
  const path = posix.join(where, 'package.json');
  const text = read(path);
  if (name === undefined || text === undefined) return undefined;
  const scripts = tablesOf(readJson(text).scripts);
  const commands = [`pre${name}`, name, `post${name}`].flatMap((each) => {
    const script = Object.hasOwn(scripts, each) ? scripts[each] : undefined;
    return typeof script === 'string' ? [script] : [];
  });
  return commands.length === 0 ? undefined : { commands, files: [path], folder: where };
}

/** Scripts that hatch, pdm and pipenv run by a name; what their `run` stands before was taken off already. */
function projectScript(words: readonly string[], folder: string, read: ReadFile): Led | undefined {
  const [environment, name] = /^([\w.+-]+):(\w.*)$/.exec(words[0]!)?.slice(1) ?? ['default', words[0]!];
  for (const file of ['hatch.toml', 'pyproject.toml', 'Pipfile']) {
    const path = posix.join(folder, file);
    const toml = readToml(read(path));
    const tool = tablesOf(toml.tool);
    const hatch = file === 'hatch.toml' ? toml : tablesOf(tool.hatch);
    const tables = [
      tablesOf(tablesOf(tablesOf(hatch.envs)[environment!]).scripts),
      tablesOf(tablesOf(tool.pdm).scripts),
      tablesOf(tablesOf(tool.rye).scripts),
      file === 'Pipfile' ? tablesOf(toml.scripts) : {},
    ];
    for (const table of tables) {
      const script = Object.hasOwn(table, name!) ? table[name!] : undefined;
      const command = typeof script === 'string' ? script : (tablesOf(script).cmd ?? tablesOf(script).composite);
      const commands = typeof command === 'string' ? [command] : stringsOf(command ?? script);
      if (commands.length > 0) {
        return {
          commands: commands.map((each) => each.replace(/\{args(?::([^}]{0,400}))?\}/g, '$1')),
          files: [path],
          folder,
        };
      }
    }
  }
  return undefined;
}

/** `hatch test` runs pytest and nothing else. */
function hatchTest(words: readonly string[], folder: string): Led | undefined {
  if (programOf(words[0]) !== 'hatch' || words[1] !== 'test') return undefined;
  return { commands: ['python -m pytest'], files: [posix.join(folder, 'pyproject.toml')], folder };
}

function setupPy(words: readonly string[], folder: string, read: ReadFile): Led | undefined {
  const at = words.findIndex((word) => posix.basename(word) === 'setup.py');
  if (at < 0 || programOf(words[0]) !== 'python' || !/^(test|pytest|ptr)$/.test(words[at + 1] ?? '')) return undefined;
  const files = ['setup.py', 'setup.cfg'].map((name) => posix.join(folder, posix.dirname(words[at]!), name));
  const text = files.map((file) => read(file) ?? '').join('\n');
  const isPytest = words[at + 1] !== 'test' || /pytest/i.test(text);
  return {
    commands: [isPytest ? 'python -m pytest' : 'python -m unittest'],
    files: files.filter((file) => read(file) !== undefined),
    folder,
  };
}

/** A program of the repository that starts a runner in its own process or in another. */
function pythonProgram(words: readonly string[], folder: string, read: ReadFile): Led | undefined {
  if (programOf(words[0]) !== 'python') return undefined;
  const module = /^-\w*m$/.test(words[1] ?? '') ? words[2] : undefined;
  const name = module === undefined ? words.find((word) => word.endsWith('.py')) : undefined;
  const candidates =
    module === undefined
      ? [name ?? '']
      : [`${module.replaceAll('.', '/')}.py`, `${module.replaceAll('.', '/')}/__main__.py`];
  const path = candidates
    .filter(Boolean)
    .map((each) => posix.join(folder, each))
    .find((each) => read(each) !== undefined);
  // Django's own programs are runners themselves.
  if (path === undefined || /(^|\/)manage\.py$/.test(path)) return undefined;
  const text = read(path)!;
  if (/\bunittest\.main\(/.test(text)) return { commands: [], files: [path], folder, isRunner: 'unittest' };
  const commands = CALLS_PYTEST.test(text)
    ? ['python -m pytest']
    : [
        ...startedIn(text),
        ...(/\bunittest\b|\bTextTestRunner\b|get_runner\(|DiscoverRunner/.test(text) ? ['python -m unittest'] : []),
      ];
  return commands.length === 0 ? undefined : { commands, files: [path], folder };
}

const CALLS_PYTEST = /\bpytest\.(?:console_)?main\(/;

/** Whether a program of the project calls pytest, whatever its name makes one expect: many have a `runtests.py`. */
export function callsPytest(words: readonly string[], folder: string, read: ReadFile): boolean {
  // Python's own options come before its program, `-W error` with a value; behind `-m` and `-c` there is none.
  const isProgram = (word: string, at: number) => !/^-[^mc]*$/.test(word) && !/^-[WX]$/.test(words[at] ?? '');
  const script = programOf(words[0]) === 'python' ? words.slice(1).find(isProgram) : words[0];
  return script?.endsWith('.py') === true && CALLS_PYTEST.test(read(posix.join(folder, script)) ?? '');
}

function just(words: readonly string[], folder: string, read: ReadFile): Led | undefined {
  if (programOf(words[0]) !== 'just') return undefined;
  const path = ['justfile', 'Justfile', '.justfile'].map((name) => posix.join(folder, name)).find((each) => read(each));
  const target = words.slice(1).find((word) => !word.startsWith('-'));
  if (path === undefined || target === undefined) return undefined;
  const recipe = new RegExp(`^@?${target.replace(/[^\w-]/g, '')}\\b[^:=\\n]*:(?!=).*\\n((?:[ \\t]+.*\\n?|\\n)*)`, 'm');
  const lines = (recipe.exec(read(path)!)?.[1] ?? '').split('\n').map((line) => line.trim().replace(/^[@-]+/, ''));
  return { commands: lines.filter(Boolean), files: [path], folder };
}

/** The value of an option, behind it, glued to it or behind `=`. */
function optionOf(words: readonly string[], option: RegExp): string | undefined {
  for (const [at, word] of words.entries()) {
    if (word === '--') return undefined;
    if (option.test(word)) return words[at + 1];
    const [name, value] = /^(--[\w-]+)=(.*)$/.exec(word)?.slice(1) ?? /^(-\w)([^-].*)$/.exec(word)?.slice(1) ?? [];
    if (name !== undefined && option.test(name)) return value;
  }
  return undefined;
}
