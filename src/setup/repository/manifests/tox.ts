import { listOf, readCfg } from '../cfg';
import type { Survey } from '../survey';
import { readToml, stringsOf, type Table, tablesOf } from '../tables';

/** One environment of tox, whichever of its files describes it. */
export interface ToxEnvironment {
  /** Empty for what all others begin with. */
  readonly name: string;
  /** Requirements as pip takes them; options and references to other sections are left out. */
  readonly deps: readonly string[];
  readonly extras: readonly string[];
}

/** The text of tox's own format: a file of its own, or what a file for several tools keeps for it. Empty without one. */
export function toxIni({ texts }: Survey): string {
  const legacy = toolOf(texts).legacy_tox_ini;
  const cfg = texts['setup.cfg'] ?? '';
  return texts['tox.ini'] ?? (typeof legacy === 'string' ? legacy : /^\[tox:tox\]/m.test(cfg) ? cfg : '');
}

export function toxEnvironments(survey: Survey): ToxEnvironment[] {
  const sections = Object.entries(readCfg(toxIni(survey))).flatMap(([section, env]) => {
    const name = /^testenv(?::(.*))?$/.exec(section);
    return name ? [{ name: name[1] ?? '', deps: listOf(env.deps, /\n/), extras: listOf(env.extras) }] : [];
  });
  const own = survey.texts['tox.toml'];
  const toml = own === undefined ? toolOf(survey.texts) : readToml(own);
  const tables = [['', toml.env_run_base] as const, ...Object.entries(tablesOf(toml.env))].map(([name, env]) => ({
    name,
    deps: stringsOf(tablesOf(env).deps),
    extras: stringsOf(tablesOf(env).extras),
  }));
  return [...sections, ...tables].map(({ name, deps, extras }) => ({
    name,
    extras: linesFor(toxIni(survey), extras),
    deps: linesFor(toxIni(survey), deps).filter(isRequirement),
  }));
}

/** What its environments for testing install beside the project. */
export function toxRequirements(survey: Survey): string[] {
  return toxEnvironments(survey)
    .filter(({ name }) => name === '' || /^(py|tests?|unit|cov)/.test(name))
    .flatMap(({ deps }) => deps);
}

/**
 * The lines without their conditions (`py27: mock`). One for a factor that is in no environment of the list is for another
 * way of testing: the oldest versions that are allowed, say.
 */
function linesFor(ini: string, lines: readonly string[]): string[] {
  const listed = readCfg(ini).tox?.envlist ?? readCfg(ini).tox?.env_list ?? '';
  const factors = new Set(expanded(listed).flatMap((name) => name.split('-')));
  return lines.flatMap((line) => {
    const [, condition, rest] = /^([\w,!{}.*-]+):\s+(.*)$/.exec(line) ?? [undefined, '', line];
    const meant = condition!.split(/[,{}]+/).filter((each) => each !== '' && !each.startsWith('!'));
    const known = (each: string) => each.split('-').every((factor) => factors.has(factor) || /^py\d*$/.test(factor));
    return meant.length === 0 || factors.size === 0 || meant.some(known) ? [rest!] : [];
  });
}

/** `py{38,311}-{all,no}deps` is four environments. */
function expanded(list: string): string[] {
  const names = list.split(/[\s,]+(?![^{]*\})/).filter(Boolean);
  return names.flatMap((name): string[] => {
    const [whole, choices] = /\{([^{}]*)\}/.exec(name) ?? [];
    if (whole === undefined) return [name];
    return choices!.split(',').flatMap((choice) => expanded(name.replace(whole, choice.trim())));
  });
}

const isRequirement = (line: string) => !/^(-|\{|\[|\.)/.test(line);

const toolOf = (texts: Survey['texts']): Table => tablesOf(tablesOf(readToml(texts['pyproject.toml']).tool).tox);
