import { AtomName } from '../../contract';
import { isObject, list, object, type Repairs, type Row } from './peer-repairs';

const MOST = 20;

/** Atoms with named arguments; those that are none of ours or that nobody can read are put aside whole. */
export function readableAtoms(value: unknown, repairs: Repairs): Row[] {
  if (value !== undefined && value !== null && !Array.isArray(value)) repairs.note('atoms was no list');
  const known: Row[] = [];
  const unknown: unknown[] = [];
  const unreadable: unknown[] = [];
  for (const item of list(value)) {
    const name = AtomName.safeParse(object(item).name);
    if (!name.success) unknown.push(item);
    else {
      const args = argsOf(name.data, object(item), repairs);
      if (args === undefined) unreadable.push(item);
      else known.push({ ...object(item), args });
    }
  }
  repairs.keepItems('atoms_unknown', unknown, `${unknown.length} atoms that are none of ours`);
  repairs.keepItems('atoms_unknown', unreadable, `${unreadable.length} atoms whose args cannot be read`);
  const more = known.slice(MOST);
  repairs.keepItems('atoms_more', more, `${more.length} of ${known.length} atoms are not used`);
  return known.slice(0, MOST);
}

function argsOf(atom: AtomName, { name: _, args, ...others }: Row, repairs: Repairs): Row | undefined {
  if (isObject(args)) return args;
  if (args === undefined || args === null) {
    repairs.note(`${atom} had no args${Object.keys(others).length > 0 ? ', its other fields are taken' : ''}`);
    return others;
  }
  const named = typeof args === 'string' || Array.isArray(args) ? NAMED[atom](args) : undefined;
  if (named) repairs.note(`args of ${atom} had no names, taken as ${Object.keys(named).join(' and ')}`);
  return named;
}

type Bare = string | readonly unknown[];
const packages = (args: Bare) => ({ packages: args });
const command = (args: Bare) => (typeof args === 'string' ? { cmd: args } : { commands: args });

/** What arguments without names are most likely meant to be. */
const NAMED: Readonly<Record<AtomName, (args: Bare) => Row | undefined>> = {
  pip_install: packages,
  pip_pin: packages,
  or_upgrade_pkg: packages,
  apt_install: packages,
  conda_install: packages,
  npm_install: packages,
  shell: command,
  adjust_command: command,
  set_pytest_flag: (args) => ({ flags: args }),
  set_umask: (args) => (typeof args === 'string' ? { value: args } : undefined),
  set_env: (args) => {
    const [, key, value] = (typeof args === 'string' && /^([A-Za-z_]\w*)=(.*)$/s.exec(args)) || [];
    return key === undefined ? undefined : { key, value };
  },
  set_django_setting: () => undefined,
};
