/**
 * Exported variables out of `declare -px` lines, which is how a sandbox stores its environment. bash quotes values in
 * double quotes (backslash before `"`, `$`, `` ` `` and itself) or, with control characters, as `$'…'`; the latter are
 * given as written, because frames only show them and never source them.
 */
export function parseExports(text: string): Record<string, string> {
  const env: Record<string, string> = {};
  const pattern =
    /^declare -(?=[a-wyz]*x)[a-z]+ ([A-Za-z_]\w*)(?:=(?:"((?:[^"\\]|\\[\s\S])*)"|(\$'(?:[^'\\]|\\[\s\S])*')))?$/gm;
  for (const [, name, quoted, ansi] of text.matchAll(pattern)) {
    env[name!] = quoted === undefined ? (ansi ?? '') : quoted.replace(/\\(["$`\\])/g, '$1').replace(/\\\n/g, '');
  }
  return env;
}

/** The way back: lines that export variables to the commands after them. */
export function exportLines(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`);
}

/** `NAME=value` lines, as processes and images have them. */
export function variablesOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
