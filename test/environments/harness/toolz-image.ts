import { BASE_IMAGE } from '../../../src/machine/image';
import { openSandboxes } from '../../../src/sandbox';

const TOOLZ_IMAGE = 'pointsman/test-toolz:2';
export const WORKDIR = '/repo';

/**
 * toolz as real environments hold it, and worse: sources under git with a history, a build folder, an installed copy with
 * byte code, a download cache, its sdist and a wheel beside it, and an older copy that somebody kept.
 */
const SET_UP = `
set -e
mkdir -p /root/downloads && cd /root/downloads
pip download -q --no-deps --no-binary :all: toolz==0.12.1
tar xzf toolz-0.12.1.tar.gz && mv toolz-0.12.1 /repo && chown -R root:root /repo && cd /repo
git init -q -b main . && git add -A
git -c user.name=t -c user.email=t@example.com commit -qm one
sed -i '1i # second version' toolz/itertoolz.py
git -c user.name=t -c user.email=t@example.com commit -qam two
pip install -q --break-system-packages . pytest
pip wheel -q --no-deps -w /root/downloads .
mkdir -p build/lib && cp -r toolz build/lib/ && cp toolz/itertoolz.py toolz/itertoolz.py.orig
mkdir -p /usr/src/old && sed 's/result = /outcome = /' toolz/itertoolz.py > /usr/src/old/itertoolz.py
mkdir -p /srv/mirror.git && git clone -q --bare . /srv/mirror.git
python3 -m compileall -q toolz
`;

/** Builds the image once for all tests of this machine. */
export async function toolzImage(): Promise<string> {
  const sandboxes = openSandboxes('test');
  if (await sandboxes.images.find(TOOLZ_IMAGE)) return TOOLZ_IMAGE;
  const owner = { workflowId: 'test/toolz-image', firstRunId: `${process.pid}` };
  const spec = { owner, role: 'toolz', image: BASE_IMAGE, workdir: '/', network: 'bridge' as const };
  await sandboxes.workshop(spec, async (sandbox) => {
    const done = await sandbox.exec({ command: SET_UP, env: sandbox.env, cwd: '/', timeoutMs: 300_000 });
    if (done.exitCode !== 0) throw new Error(`toolz could not be set up: ${done.stderr.toString('utf8').slice(-800)}`);
    await sandbox.commit(TOOLZ_IMAGE, { kept: true });
  });
  return TOOLZ_IMAGE;
}
