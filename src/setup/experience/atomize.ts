import type { Atom } from '../../contract';
import { plain, shellWords, unquoted } from './commands';

/** A part of a command as the atom that says the same, so that another container renders it its own way. */
export function atomOf(part: string): Atom {
  const words = shellWords(plain(part));
  const [program = '', verb = ''] = words;
  const rest = words.slice(2);
  const names = rest.filter((word) => !word.startsWith('-'));
  if (program === 'export' || /^[A-Za-z_]\w*=/.test(program)) return setEnv(part);
  if (program === 'pip' && verb === 'install' && names.length > 0 && !takesValue(rest)) {
    const flags = rest.filter((word) => word.startsWith('-') && word !== '-y');
    const [only = ''] = names;
    const [, name, spec] = /^([A-Za-z0-9._-]+(?:\[[^\]]*\])?)([=<>~!].*)$/.exec(only) ?? [];
    if (names.length === 1 && name && spec && flags.length === 0) return { name: 'pip_pin', args: { name, spec } };
    return { name: 'pip_install', args: { packages: names, ...(flags.length > 0 ? { flags } : {}) } };
  }
  if ((program === 'apt-get' || program === 'apt') && verb !== 'update') {
    const wanted = words.slice(1).filter((word) => !word.startsWith('-') && word !== 'install');
    if (words.includes('install') && wanted.length > 0) return { name: 'apt_install', args: { packages: wanted } };
  }
  if (program === 'conda' && verb === 'install' && names.length > 0 && !takesValue(rest)) {
    return { name: 'conda_install', args: { packages: names } };
  }
  if (program === 'npm' && (verb === 'install' || verb === 'i')) {
    const flags = rest.filter(
      (word) => word.startsWith('-') && !['--no-save', '--no-audit', '--no-fund'].includes(word),
    );
    return { name: 'npm_install', args: { packages: names, ...(flags.length > 0 ? { flags } : {}) } };
  }
  return { name: 'shell', args: { cmd: part } };
}

function setEnv(part: string): Atom {
  const [, key, value = ''] = /^(?:export\s+)?([A-Za-z_]\w*)=(.*)$/s.exec(part.trim()) ?? [];
  if (!key) return { name: 'shell', args: { cmd: part } };
  return { name: 'set_env', args: { key, value: unquoted(value) } };
}

/** Options whose value follows as a word of its own; such a command stays as it was written. */
function takesValue(words: readonly string[]): boolean {
  return words.some((word) =>
    /^(?:-r|-c|-e|-i|-f|-t|-n|--requirement|--constraint|--editable|--index-url|--extra-index-url|--target|--find-links|--name)$/.test(
      word,
    ),
  );
}
