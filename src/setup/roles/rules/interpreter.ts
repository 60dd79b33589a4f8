import { quote } from '../../../rollout/shell';
import { declaredFor } from '../../repository/facts';
import type { Case } from '../role';
import { type Repository, rowsOf } from './play';

/** A Python that the environment has. */
export interface Interpreter {
  readonly path: string;
  readonly version: string;
  /** Of what the project needs, what it can find. */
  readonly finds: readonly string[];
}

/** Looks beside the work directory's own modules: those are found by every interpreter that starts there. */
const FIND = [
  'import sys, importlib.util',
  "sys.path[:] = [p for p in sys.path if p not in ('', '.')]",
  'def there(name):',
  '    try: return importlib.util.find_spec(name) is not None',
  '    except Exception: return False',
  "print(sys.version.split()[0], *[n for n in sys.argv[1:] if there(n)], sep='\\t')",
].join('\n');

/** Lists the Pythons that the set-up may have meant: those on the path, in known folders, and those that its commands name. */
export function lookForInterpreters(dossier: Case, { workdir, facts }: Repository): string {
  const named = dossier.steps.flatMap(({ move }) => {
    const text = 'command' in move ? (move.command ?? '') : '';
    return [
      ...text.matchAll(
        /(?:^|[\s'"=(])((?:\/[\w.-]+)+|[\w.-]+(?:\/[\w.-]+)*)\/bin\/(?:python[\d.]*|pip[\d.]*|activate|pytest|tox)\b/g,
      ),
    ].map(([, folder]) => (folder!.startsWith('/') ? folder! : `${workdir}/${folder}`));
  });
  const folders = [
    ...new Set([...named, `${workdir}/.venv`, `${workdir}/venv`, `${workdir}/env`, '/venv', '/opt/venv', '/opt/conda']),
  ];
  const candidates = [
    '"$(command -v python)"',
    '"$(command -v python3)"',
    '"$VIRTUAL_ENV/bin/python"',
    ...folders.map((folder) => quote(`${folder}/bin/python`)),
    `${quote(workdir)}/.tox/*/bin/python ${quote(workdir)}/.nox/*/bin/python ~/.cache/pypoetry/virtualenvs/*/bin/python`,
  ];
  const needed = [
    ...new Set([
      ...facts.modules,
      ...declaredFor(facts, 'python')
        .filter(({ scope }) => scope === 'core' || scope === 'test')
        .flatMap(({ importNames }) => importNames),
      'pytest',
    ]),
  ].filter((name) => /^[\w.]+$/.test(name));
  return [
    `for python in ${candidates.join(' ')}; do`,
    '[ -x "$python" ] || continue;',
    `found=$("$python" -c ${quote(FIND)} ${needed.join(' ')} 2> /dev/null) && printf 'interpreter\\t%s\\t%s\\n' "$python" "$found";`,
    'done; true',
  ].join(' ');
}

/** What is there whichever of the environment's interpreters is asked. */
export function foundByAll(interpreters: readonly Interpreter[]): ReadonlySet<string> {
  const [first, ...others] = interpreters;
  return new Set(first?.finds.filter((name) => others.every(({ finds }) => finds.includes(name))));
}

/** Best first: the one that finds most of what the project needs is the one that the set-up prepared. */
export function readInterpreters(output: string): Interpreter[] {
  const all = rowsOf(output, 'interpreter').map(([path = '', version = '', ...finds]) => ({ path, version, finds }));
  return all
    .filter(({ path }, at) => all.findIndex((other) => other.path === path) === at)
    .map((one, at) => ({ one, at }))
    .sort((a, b) => b.one.finds.length - a.one.finds.length || a.at - b.at)
    .map(({ one }) => one);
}
