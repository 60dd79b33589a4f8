import { satisfies, validRange } from '@renovatebot/pep440';
import { aptInstall } from '../apt';
import { type Act, shell, type Ways } from '../goal';
import { ASKED_FOR, pip } from './python-requirements';
import { VENV } from './uv';

interface Release {
  readonly python: string;
  /** No newer one of it is there. */
  readonly patch: number;
  /** Release of Debian that keeps its sources. */
  readonly debian: string;
}

/** The one to begin with first. A release of Debian that is alive goes on to newer patches. */
const RELEASES: readonly Release[] = [
  { python: '3.13', patch: 99, debian: 'trixie' },
  { python: '3.11', patch: 99, debian: 'bookworm' },
  { python: '3.14', patch: 99, debian: 'forky' },
  { python: '3.9', patch: 2, debian: 'bullseye' },
  { python: '3.15', patch: 99, debian: 'forky' },
];

const BUILT_WITH =
  'gcc libc6-dev make pkg-config xz-utils debian-archive-keyring libssl-dev zlib1g-dev libffi-dev libsqlite3-dev libbz2-dev liblzma-dev libreadline-dev libncurses-dev uuid-dev';

/** An interpreter that the condition (PEP 440) allows: the shell that brings it, and its name. Null where none is known. */
export function interpreterFor(condition: string): { readonly bring: string; readonly name: string } | null {
  const release = RELEASES.find(({ python, patch }) => allowsPython(condition, `${python}.${patch}`));
  if (!release) return null;
  const name = `python${release.python}`;
  const packaged = aptInstall([name, `${name}-venv`, `${name}-dev`]);
  const bring = `{ command -v ${name} > /dev/null || { apt-get update -qq && if ${isPackaged(name)}; then ${packaged}; else ${built(release)}; fi; }; }`;
  return { bring, name };
}

/**
 * Another interpreter, which the condition allows, and the virtual environment made anew with it and with what had been asked
 * for in the old one. Null where none is known.
 */
export function changeInterpreter(condition: string, ways: Ways): Act | null {
  const other = interpreterFor(condition);
  if (!other) return null;
  const again = pip(ways.get('install') === 'plain' ? '$asked .' : '$asked');
  return shell(
    [
      `asked=$(python -m pip list --editable | awk 'NR > 2 { print "-e", $NF }'; echo "${ASKED_FOR}")`,
      other.bring,
      `${other.name} -m venv --clear ${VENV}`,
      // The pip that an old Python brings knows no editable install without a setup.py.
      `python --version && ${pip('--upgrade pip')}`,
      `{ test -z "\${asked//[[:space:]]/}" || ${again}; }`,
    ].join(' && '),
  );
}

/** Releases of Python by the day from which there were any, for what was published in their time. */
const RELEASED: readonly (readonly [python: string, date: string])[] = [
  ['3.15', '2026-10-01'],
  ['3.14', '2025-10-07'],
  ['3.13', '2024-10-07'],
  ['3.12', '2023-10-02'],
  ['3.11', '2022-10-24'],
  ['3.10', '2021-10-04'],
  ['3.9', '2020-10-05'],
];

/**
 * The condition that an interpreter meets which a release of that day can have been tested with; the oldest that there is, for
 * what is older. Null where the one at hand, which none of it is newer than, is such a one.
 */
export function interpreterOf(date: string, atHand: string): string | null {
  const then = RELEASED.find(([, released]) => released <= date)?.[0] ?? '3.9';
  const minor = (version: string) => Number(version.split('.')[1]);
  const best = RELEASES.map(({ python }) => python)
    .filter((python) => minor(python) <= minor(then))
    .sort((a, b) => minor(b) - minor(a))[0];
  const chosen = best ?? '3.9';
  return minor(chosen) >= minor(atHand) ? null : `==${chosen}.*`;
}

/** Whether a condition (`>=3.12,<4`, PEP 440) allows a release. A part of it that is no such condition allows all. */
export function allowsPython(condition: string, version: string): boolean {
  return condition.split(',').every((part) => !validRange(part) || satisfies(version, part));
}

/** What a command builds from sources that are the same everywhere: the program, and the archive that the build leaves. */
export interface Building {
  readonly program: string;
  /** Of the root folder. A command that finds it there unpacks it, in place of building. */
  readonly archive: string;
  /** Makes the archive in an image where the program cannot be had as a package; leaves none where it can. */
  readonly script: string;
}

/** What a shell text builds, each once. */
export function buildingsIn(text: string): Building[] {
  return RELEASES.filter((release) => text.includes(compiled(release))).map((release) => {
    const program = `python${release.python}`;
    const script = `apt-get update -qq && { ${isPackaged(program)} || { ${buildTools} && ${compiled(release)}; }; }`;
    return { program, archive: archiveOf(release), script };
  });
}

const buildTools = aptInstall(BUILT_WITH.split(' '));
const isPackaged = (name: string) => `apt-cache show ${name} > /dev/null 2>&1`;
const archiveOf = ({ python }: Release) => `/var/tmp/python-${python}.tar.gz`;

/** What it needs to run comes with what it is built with. */
function built(release: Release): string {
  const archive = archiveOf(release);
  const unpacked = `tar -xf ${archive} -C / --no-overwrite-dir && rm ${archive}`;
  return `${buildTools} && { [ -f ${archive} ] || { ${compiled(release)}; }; } && ${unpacked}`;
}

/**
 * Built from the sources: a package of another release of Debian brings that release's C library along, and half of the
 * system with it. Sources are signed as packages are; that a mirror lags behind does not matter to them.
 */
function compiled(release: Release): string {
  const { python, debian } = release;
  const folder = `/tmp/python-${python}`;
  const apt = `apt-get -qq -o Dir::Etc::SourceList=${folder}/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists=${folder}/lists -o Acquire::Check-Valid-Until=false`;
  const steps = [
    `cd ${folder}`,
    `${apt} update`,
    `${apt} source --download-only python${python}`,
    'tar -xf *.orig.tar.xz --strip-components=1',
    './configure -q --with-ensurepip=no --disable-test-modules',
    'make -s -j "$(nproc)"',
    `make -s altinstall DESTDIR=${folder}/root`,
    `tar -I 'gzip -1' -cf ${archiveOf(release)} -C root usr`,
  ];
  return [
    `mkdir -p ${folder}/lists/partial`,
    `mirror=$(. /etc/os-release && apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' "Release: $VERSION_CODENAME" | head -n 1)`,
    `echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror ${debian} main" > ${folder}/sources.list`,
    `(${steps.join(' && ')}) > ${folder}.log 2>&1 || { tail -n 40 ${folder}.log; false; }`,
    `rm -rf ${folder} ${folder}.log`,
  ].join(' && ');
}
