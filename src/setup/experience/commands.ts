/**
 * Shell command lines as far as experience reads them: their parts, what they are after, which of them change the
 * environment. A reading, not a parser: what it cannot split stays one part.
 */

/** Parts that `&&`, `;` and line ends separate, outside of quotes. */
export function parts(command: string): string[] {
  const found: string[] = [];
  let part = '';
  let quote = '';
  for (let at = 0; at < command.length; at++) {
    const char = command[at]!;
    if (quote) {
      if (char === '\\' && quote === '"') part += char + (command[++at] ?? '');
      else {
        part += char;
        if (char === quote) quote = '';
      }
    } else if (char === '"' || char === "'") {
      quote = char;
      part += char;
    } else if (char === '\n' || char === ';' || command.startsWith('&&', at)) {
      found.push(part);
      part = '';
      if (char === '&') at++;
    } else part += char;
  }
  found.push(part);
  return found.map((each) => each.trim().replace(/^\(+\s*|(?:(?<!\s)\s+)?(?<!\))\)+$/g, '')).filter(Boolean);
}

/** The words of a part as a shell would read them, without what it would expand. */
export function shellWords(command: string): string[] {
  return (command.match(/(?:[^\s'"]|'[^']*'|"(?:\\[\s\S]|[^"\\])*(?:"|\\?$))+/g) ?? []).map(unquoted);
}

export function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)(?:"|\\?$)/g,
    (quoted: string, single?: string, double?: string) => {
      if (single !== undefined) return single;
      return quoted === '"' || !quoted.endsWith('"') ? quoted : (double ?? '').replace(/\\(["$`\\])/g, '$1');
    },
  );
}

const QUIET = /(?<!\s)\s+(?:-q|--quiet|-v|-vv|--verbose|-x|--tb=\S+|--no-header)(?=\s|$)/g;

/** A part without what does not change what it does: redirections, a pipe into `tail`, verbosity, the interpreter's path. */
export function plain(part: string): string {
  return (
    part
      .replace(/(?:(?<!\s)\s+)?\|\s*(?:tail|head|tee|cat|grep|sort)\b[^|]*$/g, '')
      // `'foo>=1'` is no redirection.
      .replace(
        /('[^']*'|"(?:\\[\s\S]|[^"\\])*(?:"|\\?$))|(?:(?<!\s)\s+)?(?:\d?>&\d|&?\d?>+\s*\S+)/g,
        (_, kept?: string) => kept ?? '',
      )
      .replace(/^(?:[A-Za-z_]\w*=\S*\s+)+/, '')
      .replace(/^(?:sudo|time|env)\s+/, '')
      .replace(/^(?:\/\S+\/)?python[\d.]*\s+-m\s+/, '')
      .replace(/^(?:\/\S+\/)?(python|pip|pytest)[\d.]*(?=\s|$)/, '$1')
      .replace(QUIET, '')
      .replace(/\s+/g, ' ')
      .trim()
  );
}

/** What a command was run for: its last part. */
export function goalOf(command: string): string {
  return plain(parts(command).at(-1) ?? '');
}

/** Whether `later` runs again what `command` was after. */
export function repeats(later: string, command: string): boolean {
  const goal = goalOf(command);
  return goal !== '' && parts(later).some((part) => plain(part) === goal);
}

const CHANGES = [
  /^(?:pip|pipx|uv|poetry|pdm|conda|mamba)\b.*\b(?:install|add|sync|uninstall|remove|update|upgrade|lock)\b/,
  /^(?:apt-get|apt|apk|dnf|yum|dpkg)\b.*\b(?:install|add|remove|-i)\b/,
  /^(?:npm|yarn|pnpm)\b.*\b(?:install|i|ci|add|rebuild|pkg)\b/,
  /^(?:export|ln|mkdir|touch|cp|mv|chmod|chown|git (?:init|tag|submodule|config)|sed -i|corepack|rustup|nvm|go (?:mod|install|get|env)|cargo (?:install|update|add)|service|systemctl|pg_ctl|createdb|createuser|update-alternatives|ldconfig|locale-gen|make install|cmake --install|(?:python|virtualenv|venv)\b.*\bvenv\b)/,
  /^venv\b/,
];

/** Whether a part leaves the environment different; reading and testing do not. */
export function changesEnvironment(part: string): boolean {
  const text = plain(part);
  return /^[A-Za-z_]\w*=\S*$/.test(text) || CHANGES.some((pattern) => pattern.test(text));
}
