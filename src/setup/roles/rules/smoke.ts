import { quote } from '../../../agent/shell';
import type { VerifierMove } from '../../../contract';
import { checksOf } from './checks';
import type { Interpreter } from './interpreter';
import type { Repository } from './play';

type Smoke = Extract<VerifierMove, { move: 'smoke' }>;

/**
 * Where a repository has no tests: whether it builds and starts. Null where nothing could be shown, which is no pass
 * either: a script that does nothing always succeeds.
 */
export function smokeOf(repository: Repository, interpreters: readonly Interpreter[]): Smoke | null {
  const { facts, workdir } = repository;
  const [language] = facts.languages;
  const built = language === 'c' || language === 'cpp' ? [`cd ${quote(workdir)} && ${BUILT}`] : [];
  const shown = facts.modules.length + facts.entryPoints.length > 0 || built.length > 0 || language === 'java';
  if (!shown) return null;
  const commands = [...built, ...checksOf(repository, interpreters).map(({ command }) => command)];
  if (commands.length === 0) return null;
  const content = ['set -e -o pipefail', ...commands.map((command) => `( ${command} )`), ''].join('\n');
  const thought = 'There are no tests: what it declares must import, build and start.';
  return { move: 'smoke', thought, path: '/tmp/smoke.sh', content, command: 'bash /tmp/smoke.sh' };
}

/** Something that a compiler or archiver made. */
const BUILT =
  "find . -type f \\( -name '*.o' -o -name '*.a' -o -name '*.so*' -o -perm -u+x \\) -not -path './.git/*' -exec head -c 4 {} \\; | grep -aqE 'ELF|!<ar' || { echo 'nothing was built'; exit 1; }";
