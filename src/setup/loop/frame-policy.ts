interface Rule {
  readonly name: string;
  readonly pattern: RegExp;
}

/**
 * Commands before which a frame is taken, because what they do is hard to take back by another command. One line a rule;
 * the report names those that fired.
 */
const RISKY: readonly Rule[] = [
  {
    name: 'system-packages',
    pattern:
      /\b(apt|apt-get|aptitude|dpkg|apk|dnf|yum|pacman|zypper)\s+(-\S+\s+)*(install|remove|purge|upgrade|dist-upgrade|full-upgrade|autoremove|add|del|-i|-r|-P)\b/,
  },
  {
    name: 'toolchain',
    pattern: /\b(rustup|nvm|pyenv|asdf|sdk|update-alternatives|ensurepip|get-pip\.py|corepack|conda|mamba)\b/,
  },
  {
    name: 'interpreter',
    pattern:
      /\bln\s+-\S*s\S*\s+\S*\/?(python|pip|node|npm|java|gcc|cc|go)[\d.]*\b|\b(pip3?|python3?(\.\d+)?\s+-m\s+pip)\s+install\b.*\s(--upgrade|-U)\s+(pip|setuptools|wheel)\b|\bvenv\s+--clear\b/,
  },
  { name: 'recursive-removal', pattern: /\brm\s+(-\w+\s+)*-\w*[rR]|\bfind\b.{0,400}\s-delete\b|\bgit\s+clean\b/ },
  {
    name: 'remote-script',
    pattern: /\b(curl|wget)\b[^|;&]{0,400}\|\s*(sudo\s+)?(ba|da|z|k)?sh\b|\b(ba|da|z|k)?sh\s+<\(\s*(curl|wget)\b/,
  },
  {
    name: 'system-files',
    pattern:
      /(>|\btee\b|\bsed\s+-i\b|\bmv\b|\bcp\b|\bchmod\b|\bchown\b)[^;&|\n]{0,200}\s\/(etc|usr|lib|bin|sbin|opt)\//,
  },
  { name: 'downgrade', pattern: /--(force-reinstall|break-system-packages|allow-downgrades|force-yes|force)\b/ },
];

/** Names of the rules that a command meets; none means that no frame is needed before it. */
export function riskRules(command: string): string[] {
  return RISKY.filter(({ pattern }) => pattern.test(command)).map(({ name }) => name);
}

/** Words that only read. A pipeline of nothing else leaves the sandbox as it was. */
const READERS = new Set(
  'ls cat head tail grep egrep fgrep rg find wc sort uniq cut tr pwd echo printf which type stat file du df printenv ps uname id whoami date test true false readlink realpath basename dirname diff cmp md5sum sha256sum tree nproc free getconf ldd nm objdump'.split(
    ' ',
  ),
);
const READING = [
  /^(python3?(\.\d+)?|node|go|cargo|rustc|java|javac|mvn|gradle|gcc|g\+\+|cmake|make|git|npm|pip3?)\s+(--version|-V|-v|version)$/,
  /^(pip3?|python3?(\.\d+)?\s+-m\s+pip)\s+(list|show|freeze|check)\b/,
  /^(npm|yarn|pnpm)\s+(ls|list|view|outdated)\b/,
  /^git\s+(status|log|diff|show|describe|rev-parse)\b/,
  /^git\s+(branch|tag)(\s+(-[alrv]+|-n\d*|--list|--all|--show-current|--sort=\S+))*$/,
  /^(dpkg\s+(-l|-s|-L|-S)|apt-cache|go\s+env(?!.*\s-[wu]\b)|ldconfig\s+(-p|--print-cache))\b/,
  /^sed\s+-n\b(?!.*(\s-\w*i|--in-place|\bw\s))/,
  /^command\s+-[vV]\s/,
];

/**
 * Whether a command cannot have changed the sandbox. Said only when sure: anything unknown counts as a change, and so does
 * another directory, since the next command begins there.
 */
export function onlyReads(command: string): boolean {
  if (
    /[<>`]|\$\(|\s-(delete|exec|execdir|ok|okdir|fprint\w*|fls|-output)\b/.test(
      command.replace(/[0-9&]?>\s*(\/dev\/null|&[0-9])/g, ''),
    )
  )
    return false;
  return command
    .split(/\|\||&&|[;|&\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .every((part) => {
      const words = part.split(/\s+/);
      return (
        (READERS.has(words[0]!) && !words.some((word) => /^-[io]/.test(word))) ||
        READING.some((pattern) => pattern.test(part))
      );
    });
}
