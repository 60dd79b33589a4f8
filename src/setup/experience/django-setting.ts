import type { GuestFacts } from '../../contract';
import { argument, Refusal, textArgument } from './arguments';
import { quoted } from './quoting';

const FOLDER = '/opt/pointsman/django';
const MODULE = 'pointsman_django_settings';

/**
 * A setting that outlives the shell: a settings module of our own, outside of the repository, takes over the project's and
 * sets the name after it; DJANGO_SETTINGS_MODULE then names ours. Later settings are appended, the last one counts.
 */
export function djangoSetting(args: Readonly<Record<string, unknown>>, guest: GuestFacts): string[] {
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
