/** Files whose whole content steers pytest. */
const OWN_FILES = /^\.?pytest\.(ini|toml)$/;
const SECTIONS: Record<string, RegExp> = {
  'pyproject.toml': /^\s*\[\s*"?tool"?\s*\.\s*"?pytest"?/,
  'setup.cfg': /^\s*\[\s*tool:pytest\s*\]/,
  'tox.ini': /^\s*\[\s*pytest\s*\]/,
};

/** Whether a file of that name may hold settings of pytest, next to others that a patch may change. */
export function mayConfigurePytest(path: string): boolean {
  return Object.hasOwn(SECTIONS, nameOf(path));
}

export function isPytestConfig(path: string): boolean {
  return OWN_FILES.test(nameOf(path));
}

/**
 * The lines of a configuration file that pytest reads, from each of its section headers to the next header. Two versions
 * of a file that give the same text steer pytest the same. `dotted` forms (`tool.pytest.x = 1`) count wherever they are.
 */
export function pytestSection(path: string, text: string): string {
  const header = SECTIONS[nameOf(path)];
  if (!header) return '';
  const kept: string[] = [];
  let inside = false;
  for (const line of text.split('\n')) {
    if (header.test(line)) inside = true;
    else if (/^\s*\[[^\]]+\]\s*(#.*)?$/.test(line)) inside = false;
    if (inside || /^\s*"?(tool)?"?\s*\.?\s*"?pytest"?\s*[.=]/.test(line)) kept.push(line.trimEnd());
  }
  return kept.filter((line) => line !== '').join('\n');
}

function nameOf(path: string): string {
  return path.split('/').at(-1)!;
}
