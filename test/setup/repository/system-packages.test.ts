import { systemPackages } from '../../../src/setup/repository/system-packages';

const packagesIn = (texts: Record<string, string>) => systemPackages({ paths: Object.keys(texts).sort(), texts });

it('reads what documents, continuous integration and images have apt install, each once', () => {
  expect(
    packagesIn({
      'README.md': 'On Debian: `sudo apt install libodd2 libodd-dev`.\n',
      'docs/guide/install.rst': '.. code-block:: console\n\n   $ sudo apt-get install -y libodd-dev libeven-dev\n',
      '.github/workflows/test.yml':
        '- run: |\n    sudo apt-get update && sudo apt-get install --no-install-recommends \\\n      graphviz=2.42 "pandoc"\n',
      Dockerfile: 'RUN apt-get update && apt-get -y install ghostscript $MORE && rm -rf /var/lib/apt/lists/*\n',
      '.travis.yml': 'addons:\n  apt:\n    packages:\n      - tesseract-ocr\n      - libodd2\ninstall: true\n',
      'apt.txt': '# for the notebooks\npoppler-utils\n',
    }),
  ).toEqual([
    'graphviz',
    'pandoc',
    'tesseract-ocr',
    'libodd2',
    'ghostscript',
    'poppler-utils',
    'libodd-dev',
    'libeven-dev',
  ]);
});

it('leaves out what is asked for otherwise, and prose', () => {
  expect(
    packagesIn({
      'README.md': [
        '$ apt-get install python3-stamp python-pip git sudo docker.io nodejs libodd-dev',
        '$ apt install postgresql redis-server memcached',
        '$ apt install wine-stable mingw-w64 gcc-multilib clang-15 lcov',
        'apt-get install it with your other tools.',
        'apt-get install libodd-dev and the usual tools.',
        '$ apt-get install vim- etc. node.js # libnone-dev',
        '$ apt-get install ./stamp.deb $PACKAGES <name>',
      ].join('\n'),
    }),
  ).toEqual(['libodd-dev']);
});
