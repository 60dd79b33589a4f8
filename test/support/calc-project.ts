import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ExperienceUnit } from '../../src/contract';

/** A project of four files whose tests need a file in /opt and a variable that its documentation does not name. */
const PROJECT: Readonly<Record<string, string>> = {
  'setup.py': "from setuptools import setup\nsetup(name='calc', version='1.0', py_modules=['calc'])\n",
  'calc.py':
    "import configparser\n\n\ndef mode():\n    with open('/opt/calc/mode') as file:\n        return file.read().strip()\n",
  'test_calc.py':
    "import os\nimport unittest\n\nimport calc\n\n\nclass Modes(unittest.TestCase):\n    def test_mode(self):\n        self.assertEqual(calc.mode(), 'exact')\n\n    def test_level(self):\n        self.assertEqual(os.environ['CALC_LEVEL'], '3 of 3')\n\n\nif __name__ == '__main__':\n    unittest.main()\n",
  'README.md': '# calc\n\nRun the tests with `python3 -m unittest`.\n',
};

const act = (action: string, more: object = {}) => ({
  raw: JSON.stringify({ action, thought: `I ${action}.`, ...more }),
});
const shell = (command: string) => act('shell', { command });
const TESTS = 'cd /repo && python3 -m unittest';

/** A unit about the project's own error, with one command as its action. */
export function calcUnit(id: string, command: string): ExperienceUnit {
  return ExperienceUnit.parse({
    id,
    signals: {
      keywords: ['/opt/calc/mode'],
      regex: ["No such file or directory: '/opt/calc/mode'"],
      applicability: { lang: 'python' },
    },
    advice_nl: ['The calculator reads its mode from a file: write it.'],
    atoms: [{ name: 'shell', args: { cmd: command } }],
    provenance: { created: '2026-01-01T00:00:00Z' },
  });
}

export const calcScript = {
  models: {
    careful: {
      turns: [
        shell('ls && cat README.md'),
        shell(TESTS),
        { raw: 'I would rather talk about it.', slip: true },
        act('finish', { message: 'done' }),
        act('try_experience', { unit: 'calc-wrong', why: 'it looks right' }),
        act('try_experience', { unit: 'calc-right', why: 'it looks right too' }),
        act('set_env', { key: 'CALC_LEVEL', value: '3 of 3' }),
        shell('mkdir -p /srv/work && cd /srv/work && export KEPT=yes && rm -rf /opt/never'),
        shell('touch /opt/mistake && rm -rf /usr/share/doc/bash'),
        act('rollback', { frames: 1 }),
        shell('pwd; echo "$KEPT $CALC_LEVEL"; ls /opt'),
        act('verify', { hint: TESTS }),
      ],
    },
    /** Looks around before a trial, takes a wrong turn and comes back from it. */
    curious: {
      turns: [
        shell(TESTS),
        shell('cat /repo/calc.py'),
        shell('grep nowhere /repo/calc.py'),
        act('try_experience', { unit: 'calc-wrong', why: 'it looks right' }),
        shell('rm -rf /opt/never && python3 -c "import gone"'),
        act('rollback', { frames: 1 }),
        act('try_experience', { unit: 'calc-wrong', why: 'once more' }),
        act('try_experience', { unit: 'calc-right', why: 'it looks right too' }),
        act('set_env', { key: 'CALC_LEVEL', value: '3 of 3' }),
        act('verify', { hint: TESTS }),
      ],
    },
    /** What works, at once. */
    direct: {
      turns: [
        shell('mkdir -p /opt/calc && echo exact > /opt/calc/mode'),
        act('set_env', { key: 'CALC_LEVEL', value: '3 of 3' }),
        act('verify', { hint: TESTS }),
      ],
    },
    /** The same, and long enough for something to happen while its script is tried. */
    stranded: {
      turns: [
        shell('mkdir -p /opt/calc && echo exact > /opt/calc/mode && sleep 5'),
        act('set_env', { key: 'CALC_LEVEL', value: '3 of 3' }),
        act('verify', { hint: TESTS }),
      ],
    },
    /** Needs a registry on the way. */
    fetching: {
      turns: [
        shell('python3 -m venv /opt/venv && /opt/venv/bin/pip install -q pytest'),
        shell('mkdir -p /opt/calc && echo exact > /opt/calc/mode'),
        act('set_env', { key: 'CALC_LEVEL', value: '3 of 3' }),
        act('verify', { hint: TESTS }),
      ],
    },
    /** A student: writes the function that a hidden test asks for. */
    mender: {
      turns: [{ tool: 'bash', args: { command: "printf '\\n\\ndef level():\\n    return 3\\n' >> calc.py" } }],
    },
    idler: {},
    hasty: { turns: [act('verify'), act('finish', { success: false, message: 'it is beyond me' })] },
    garbled: { turns: [{ raw: 'no' }, { raw: '{"action": "dance"}' }, { raw: '{"action": "shell"}' }] },
  },
};

/** Writes the project into a folder that stays for the worker to read. */
export function writeCalc(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pointsman-project-'));
  for (const [path, text] of Object.entries(PROJECT)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
