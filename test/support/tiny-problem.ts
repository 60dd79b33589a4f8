import Docker from 'dockerode';
import type { Problem } from '../../src/contract';
import { BASE_IMAGE } from '../../src/machine/image';
import { removeContainer } from '../../src/sandbox/docker/container';

const IMAGE = 'pointsman/test-tiny:1';

/** A repository of three files in one commit: big enough to edit and diff, small enough to start in half a second. */
const SET_UP = `
mkdir -p /testbed/src && cd /testbed &&
printf 'def add(a, b):\\n    return a - b\\n' > src/calc.py &&
printf '# tiny\\n' > README.md && printf 'run.log\\n' > .gitignore &&
git init -q -b main . && git add -A &&
GIT_AUTHOR_DATE=2020-01-01T00:00:00Z GIT_COMMITTER_DATE=2020-01-01T00:00:00Z git -c user.name=t -c user.email=t@example.com commit -qm start
`;

/** Tests that fail until `add` adds, run for real. */
export const TINY_TESTS: Problem['tests'] = {
  command: 'python3 -m unittest discover -s tests',
  parser: { kind: 'auto' },
  failToPass: ['test_small (test_calc.AddTest)'],
  passToPass: [],
  files: [
    {
      path: 'tests/test_calc.py',
      content: `import sys
import unittest

sys.path.insert(0, 'src')
from calc import add


class AddTest(unittest.TestCase):
    def test_small(self):
        self.assertEqual(add(2, 3), 5)
`,
    },
  ],
  timeoutSeconds: 60,
};

export async function tinyProblem(id = 'tiny'): Promise<Problem> {
  const docker = new Docker();
  const there = await docker
    .getImage(IMAGE)
    .inspect()
    .catch(() => undefined);
  if (!there) await build(docker);
  return {
    id,
    image: IMAGE,
    workdir: '/testbed',
    statement: 'add(2, 3) gives -1; it should give 5.',
    tests: {
      command: 'true',
      parser: { kind: 'pytest' },
      failToPass: ['t::a'],
      passToPass: [],
      files: [],
      timeoutSeconds: 60,
    },
    protected: [],
    provenance: {},
  };
}

async function build(docker: Docker): Promise<void> {
  const name = `pointsman-test-tiny-${process.pid}`;
  const container = await docker.createContainer({
    name,
    Image: BASE_IMAGE,
    Cmd: ['bash', '-c', SET_UP],
    HostConfig: { NetworkMode: 'none' },
  });
  try {
    await container.start();
    const { StatusCode } = await container.wait();
    if (StatusCode !== 0) throw new Error(`the tiny problem's image could not be built: exit ${StatusCode}`);
    const [repo, tag] = IMAGE.split(':') as [string, string];
    await container.commit({ repo, tag, changes: 'WORKDIR /testbed' });
  } finally {
    await removeContainer(docker, name);
  }
}
