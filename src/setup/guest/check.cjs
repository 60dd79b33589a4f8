const fs = require('fs'), path = require('path'), cp = require('child_process');
const dir = process.cwd();
const system = [...(process.env.NODE_PATH || '').split(':').filter(Boolean), '/usr/lib/node_modules', '/usr/share/nodejs', '/usr/lib/nodejs', '/usr/local/lib/node_modules'];
function find(name, from) {
  for (let at = from; ; at = path.dirname(at)) {
    const here = path.join(at, 'node_modules', name, 'package.json');
    if (fs.existsSync(here)) return here;
    if (at === path.dirname(at)) break;
  }
  return system.map((at) => path.join(at, name, 'package.json')).find((at) => fs.existsSync(at));
}
const numbers = (text) => { const hit = /(\d+)(?:\.(\d+|x|\*))?(?:\.(\d+|x|\*))?/.exec(text); return hit && hit.slice(1, 4).map((n) => (n === undefined || isNaN(n) ? undefined : Number(n))); };
const compare = (a, b) => { for (let i = 0; i < 3; i++) { const d = (a[i] || 0) - (b[i] || 0); if (d) return d; } return 0; };
function one(version, range) {
  const hit = /^(\^|~>?|>=|<=|>|<|=|v)?\s*v?(.*)$/.exec(range.trim());
  const wanted = numbers(hit[2]);
  if (!wanted) return true;
  const d = compare(version, wanted);
  const equal = wanted.every((n, i) => n === undefined || n === version[i]);
  if (hit[1] === '>=') return d >= 0;
  if (hit[1] === '<=') return d <= 0 || equal;
  if (hit[1] === '>') return d > 0 && !equal;
  if (hit[1] === '<') return d < 0;
  if (hit[1] === '^') {
    const fixed = wanted.findIndex((n) => n !== 0 && n !== undefined);
    const upto = fixed < 0 ? (wanted[1] === undefined ? 0 : wanted[2] === undefined ? 1 : 2) : fixed;
    return d >= 0 && version.slice(0, upto + 1).every((n, i) => n === (wanted[i] || 0));
  }
  if (hit[1] && hit[1][0] === '~') return d >= 0 && version[0] === wanted[0] && (wanted[1] === undefined || version[1] === wanted[1]);
  return equal;
}
function allows(spec, text) {
  if (!/^[\s\d.xX*^~<>=|v,-]+$/.test(spec)) return true;
  const version = numbers(text);
  if (!version) return true;
  return spec.split('||').some((part) => {
    const hyphen = /^\s*(\S+)\s+-\s+(\S+)\s*$/.exec(part);
    const ranges = hyphen ? ['>=' + hyphen[1], '<=' + hyphen[2]] : part.replace(/([<>=^~])\s+/g, '$1').split(/[\s,]+/).filter(Boolean);
    return ranges.every((range) => one(version, range));
  });
}
function package_(name, spec, from = dir, seen = new Set()) {
  const at = find(name, from);
  if (!at) return name + ' is not installed';
  let manifest;
  try { manifest = JSON.parse(fs.readFileSync(at, 'utf8')); } catch (error) { return at + ': ' + error.message; }
  // What lies deeper was chosen by the package manager, overrides included; what the system keeps, by nobody.
  const chosen = seen.size > 0 && !system.some((root) => at.startsWith(root + '/'));
  if (!chosen && !allows(spec, manifest.version || '')) return name + ' ' + manifest.version + ' is installed, ' + spec + ' is declared';
  if (seen.has(at)) return null;
  seen.add(at);
  const optional = Object.keys(manifest.optionalDependencies || {});
  for (const [next, range] of Object.entries(manifest.dependencies || {})) {
    if (optional.includes(next)) continue;
    const why = package_(next, range, fs.realpathSync(path.dirname(at)), seen);
    if (why) return why + ' (' + name + ' needs it)';
  }
  return null;
}
// The one that is examined may be too old for this program, which a newer one runs then.
const release = () => cp.execFileSync('node', ['-p', 'process.version'], { encoding: 'utf8' }).trim();
function started(file, args) {
  const done = cp.spawnSync('node', [...args], { encoding: 'utf8', timeout: 60000, input: '' });
  const bad = /(?:Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|ERR_UNSUPPORTED_DIR_IMPORT|cannot open shared object|was compiled against a different Node)[^\n]*/.exec(done.stderr || '');
  return done.status && bad ? bad[0] : null;
}
function program(name, target) {
  const file = path.resolve(dir, target);
  const there = [file, file + '.js'].find((at) => fs.existsSync(at));
  return there ? (/\.sh$/.test(there) ? null : started(there, [there, '--help'])) : target + ' is not there';
}
function main(name, target) {
  const file = path.resolve(dir, target);
  const there = [file, file + '.js', file + '.cjs', file + '.json', file + '/index.js'].find((at) => fs.existsSync(at) && fs.statSync(at).isFile());
  if (!there) return target + ' is not there';
  if (!/\.[cm]?js$/.test(there)) return null;
  const load = numbers(release())[0] < 14 ? ['-e', 'require(' + JSON.stringify(there) + '); process.exit(0)'] : ['--input-type=module', '-e', 'await import(' + JSON.stringify('file://' + there) + '); process.exit(0)'];
  return started(there, load);
}
const node = (spec) => (allows(spec, release()) ? null : 'this is Node.js ' + release());
const checks = { package: package_, tool: package_, program, main, node };
let bad = 0;
for (const [kind, ...args] of JSON.parse(process.argv[1])) {
  const why = checks[kind](...args);
  if (why) { bad = 1; console.log(['missing', kind, args[0], why].join('\t')); }
}
process.exitCode = bad;
