/** Sections of a `.cfg` or `.ini` file as Python's configparser reads them: values may go on in indented lines. */
export type Cfg = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Reads what it can: lines that are no assignment are passed over, as nothing here may stop a set-up. */
export function readCfg(text: string): Cfg {
  const sections: Record<string, Record<string, string>> = {};
  let section: Record<string, string> = {};
  let key: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*[#;]/.test(line)) continue;
    const header = /^\[([^\]]+)\]/.exec(line);
    if (header) {
      section = sections[header[1]!.trim()] ??= {};
      key = null;
    } else if (/^\s+\S/.test(line) && key !== null) {
      section[key] = `${section[key]}\n${line.trim()}`;
    } else {
      const assignment = /^([^\s=:][^=:]*)[=:]\s*(.*)$/.exec(line);
      if (!assignment) continue;
      key = assignment[1]!.trim();
      section[key] = assignment[2]!.trim();
    }
  }
  return sections;
}

/** A value that holds a list: one item a line, or separated by commas. */
export function listOf(value: string | undefined, separator: RegExp = /\n|,/): string[] {
  return (value ?? '')
    .split(separator)
    .map((item) => item.replace(/(?<!\s)\s+#.*$/s, '').trim())
    .filter(Boolean);
}
