import type { StructuredPatchHunk } from 'diff';

/** Lines keep their signs, `\ No newline at end of file` among them; a side without lines begins after its place. */
export interface Hunk extends StructuredPatchHunk {
  /** What git prints behind `@@`, or nothing. */
  readonly label: string;
}

/** One file's part of a patch, with its text as it was. */
export interface PatchSection {
  readonly text: string;
  /** Path before; null for a file that the patch creates. */
  readonly from: string | null;
  /** Path after; null for a file that the patch deletes. */
  readonly to: string | null;
  /** Modes that the patch names: `120000` is a symbolic link, `160000` a submodule. */
  readonly modes: readonly string[];
  /** Lines before the first hunk, or before what is binary. */
  readonly header: readonly string[];
  readonly hunks: readonly Hunk[];
}

/**
 * Splits a git patch (or a plain unified diff) into its files. Reading is lenient: text before the first file is
 * dropped, and what no file can be read from gives no sections. Git has the last word on what a patch touches; see
 * `pathsOfNumstat`.
 */
export function splitPatch(patch: string): PatchSection[] {
  const lines = patch.split('\n');
  const found: { start: number; hunks: Hunk[] }[] = [];
  let hunk: Hunk | undefined;
  let left = 0;
  let right = 0;
  lines.forEach((line, at) => {
    // Inside a hunk a line that looks like a header is content: only its counts say where the hunk ends.
    if (left > 0 || right > 0 || line.startsWith('\\')) {
      hunk?.lines.push(line);
      if (line.startsWith('-')) left--;
      else if (line.startsWith('+')) right--;
      else if (!line.startsWith('\\')) [left, right] = [left - 1, right - 1];
      return;
    }
    hunk = hunkBegun(line);
    if (hunk) {
      [left, right] = [hunk.oldLines, hunk.newLines];
      found.at(-1)?.hunks.push(hunk);
    } else if (
      line.startsWith('diff --git ') ||
      (line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ') && !headed(lines, found.at(-1)?.start, at))
    )
      found.push({ start: at, hunks: [] });
  });
  return found.map(({ start, hunks }, index) =>
    readSection(lines.slice(start, found[index + 1]?.start ?? lines.length), hunks),
  );
}

function hunkBegun(line: string): Hunk | undefined {
  const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/s.exec(line);
  if (!found) return undefined;
  const [oldLines, newLines] = [Number(found[2] ?? 1), Number(found[4] ?? 1)];
  return {
    // An empty side is named by the line before it.
    oldStart: Number(found[1]) + (oldLines === 0 ? 1 : 0),
    oldLines,
    newStart: Number(found[3]) + (newLines === 0 ? 1 : 0),
    newLines,
    lines: [],
    label: found[5]!,
  };
}

/** Whether the `---` line at `at` belongs to the header that began at `start`: no hunk or other `---` between them. */
function headed(lines: readonly string[], start: number | undefined, at: number): boolean {
  if (start === undefined || !lines[start]!.startsWith('diff --git ')) return false;
  return !lines.slice(start + 1, at).some((line) => line.startsWith('--- ') || line.startsWith('@@ '));
}

function readSection(lines: readonly string[], hunks: readonly Hunk[]): PatchSection {
  const body = lines.findIndex((line) => line.startsWith('@@ ') || line.startsWith('GIT binary patch'));
  const header = lines.slice(0, body < 0 ? lines.length : body);
  const after = (prefix: string) => header.find((line) => line.startsWith(prefix))?.slice(prefix.length);
  const both = /^diff --git (.*)$/.exec(header[0] ?? '')?.[1];
  const [gitFrom, gitTo] = both === undefined ? [undefined, undefined] : splitGitHeader(both);
  const minus = after('--- ');
  const plus = after('+++ ');
  const from = after('rename from ') ?? after('copy from ') ?? (minus ? stripped(minus) : gitFrom);
  const to = after('rename to ') ?? after('copy to ') ?? (plus ? stripped(plus) : gitTo);
  const created = header.some((line) => line.startsWith('new file mode')) || minus?.startsWith('/dev/null') === true;
  const deleted = header.some((line) => line.startsWith('deleted file mode')) || plus?.startsWith('/dev/null') === true;
  return {
    text: lines.join('\n'),
    from: created ? null : unquoted(from ?? ''),
    to: deleted ? null : unquoted(to ?? ''),
    modes: header.flatMap(
      (line) => /^(?:new file mode|new mode|deleted file mode|index \S+) (\d{6})$/.exec(line)?.[1] ?? [],
    ),
    header,
    hunks,
  };
}

/** Lines that a patch brings to a file, without their `+`. */
export function addedLines({ hunks }: PatchSection): string[] {
  return hunks.flatMap(({ lines }) => lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1)));
}

/** `a/x b/x` where names may hold spaces: without a rename both halves are equal. */
function splitGitHeader(both: string): [string, string] {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(both);
  if (quoted) return [stripped(quoted[1]!), stripped(quoted[2]!)];
  const middle = (both.length - 1) / 2;
  return [stripped(both.slice(0, middle)), stripped(both.slice(middle + 1))];
}

function stripped(name: string): string {
  const path = unquoted(name.replace(/\t.*$/s, ''));
  return path === '/dev/null' ? path : path.replace(/^[^/]*\//, '');
}

/** Git writes names with special bytes in C quotes; octal escapes are UTF-8 bytes. */
function unquoted(name: string): string {
  if (!/^".*"$/s.test(name)) return name;
  const bytes: number[] = [];
  for (const [, octal, letter, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...new TextEncoder().encode(plain ?? ESCAPES[letter!] ?? letter!));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };

/** Paths in the output of `git apply --numstat -z`: what git itself says that a patch touches. */
export function pathsOfNumstat(output: string): string[] {
  const paths: string[] = [];
  const fields = output.split('\0');
  for (let at = 0; at < fields.length; at++) {
    const entry = /^(?:\d+|-)\t(?:\d+|-)\t(.*)$/s.exec(fields[at]!);
    if (!entry) continue;
    if (entry[1]) paths.push(entry[1]);
    else {
      // A rename: both names follow.
      paths.push(fields[at + 1] ?? '', fields[at + 2] ?? '');
      at += 2;
    }
  }
  return paths;
}

/**
 * Whether git can find the places by what stands around them. A patch without any context (`git diff -U0`) names places by
 * line number only, and git applies it only when told so.
 */
export function hasContext(patch: string): boolean {
  return !/^@@ /m.test(patch) || /^ /m.test(patch) || /^@@ -0,0 /m.test(patch);
}
