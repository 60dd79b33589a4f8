import type { Act, Predicament } from '../goal';
import { shell } from '../goal';
import { bestOf, type World } from '../worlds';

/**
 * Lines of Node.js that a project of their time ran on, each with the day of its first release. The registry of npm has
 * the programs of all of them, as packages named after the platform.
 */
const LINES: readonly (readonly [line: string, since: string])[] = [
  ['0.10', '2013-03-11'],
  ['0.12', '2015-02-06'],
  ['4', '2015-09-08'],
  ['6', '2016-04-26'],
  ['8', '2017-05-30'],
  ['10', '2018-04-24'],
  ['12', '2019-04-23'],
  ['14', '2020-04-21'],
  ['16', '2021-04-20'],
  ['18', '2022-04-19'],
  ['20', '2023-04-18'],
  ['22', '2024-04-24'],
];

/** The newest line of that day; the oldest there is for what is older still. */
function lineOf(day: string): string {
  return (LINES.findLast(([, since]) => since <= day) ?? LINES[0]!)[0];
}

/**
 * The next world for tests that fail, as of a day (`2014-02-05`): packages of that day, unless a lock has them already; then
 * the Node.js of that day beside the best of what there was. Null where nothing is left. `major` is that of the Node.js in use.
 */
export function nextNodeWorld(
  day: string,
  locked: boolean,
  major: number,
  { worlds }: Pick<Predicament, 'worlds'>,
): { readonly act: Act; readonly world: World } | null {
  const { trials } = worlds;
  if (!locked && trials.length === 0) {
    // npm means the first moment of that day, on which the release was not there yet.
    const install = `npm install --no-audit --no-fund --before=${day}T23:59:59Z`;
    const world = { date: day, runner: '', newer: {}, interpreter: '' };
    return { act: shell(`rm -rf node_modules package-lock.json && ${install}`), world };
  }
  const line = lineOf(day);
  if (Number(line) >= major || trials.some(({ world }) => world.interpreter !== '')) return null;
  // What was no better was taken back, so the best of them is what stands.
  const { date = '' } = bestOf(worlds)?.world ?? {};
  return { act: bringLine(line), world: { date, runner: '', newer: {}, interpreter: `Node.js ${line}` } };
}

/** Only the program is put on the path: npm goes on with the Node.js that it came with, which alone can run it. */
function bringLine(line: string): Act {
  const folder = `/opt/node-${line}`;
  return shell(
    [
      `program="node-linux-$(node -p process.arch)"`,
      `npm install --prefix ${folder} --no-save --ignore-scripts --silent "$program@${line}"`,
      `mkdir -p ${folder}/bin`,
      `ln -sf ${folder}/node_modules/"$program"/bin/node ${folder}/bin/node`,
      `export PATH="${folder}/bin:$PATH"`,
      'node --version',
    ].join(' && '),
  );
}
