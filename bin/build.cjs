/**
 * TypeScript to JavaScript, file by file, when a source is newer than what was made of it: below a second for all, some
 * milliseconds to see that nothing is to be done. What is not TypeScript is copied as it is.
 */
const fs = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');
/** The judge's bundle is made of what the others have become. */
const PACKAGES = ['packages/python', '.'];
/** What browsers get, bundled: of the sources, so that what is not used stays out. */
const BROWSER = join('pages', 'viewer', 'client');
/** What exported problems carry, bundled, with the files beside it that it reads; `task-folder.ts` adds its packages. */
const JUDGE = 'judge';
/** How long another process may be at it. */
const PATIENCE_MS = 30_000;

/** The newest change below a folder; names that came or went change their folder. */
function newest(folder) {
  let at = fs.statSync(folder).mtimeMs;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    at = Math.max(at, entry.isDirectory() ? newest(path) : fs.statSync(path).mtimeMs);
  }
  return at;
}

function isFresh(folder) {
  const built = fs.statSync(join(folder, 'dist', '.built'), { throwIfNoEntry: false });
  const sources = folder === ROOT ? PACKAGES.map((name) => join(ROOT, name, 'src')) : [join(folder, 'src')];
  return built !== undefined && built.mtimeMs > Math.max(...sources.map(newest));
}

/** Made beside, then put in place: who reads meanwhile finds the old one or the new one. */
function make(folder) {
  const began = new Date();
  const [from, to, made] = ['src', 'dist', `.dist-${process.pid}`].map((name) => join(folder, name));
  const files = fs
    .readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const isBrowsers = (file) => file.includes(BROWSER);
  const isCode = (file) => file.endsWith('.ts') && !isBrowsers(file);
  require('esbuild').buildSync({
    entryPoints: files.filter(isCode),
    outdir: made,
    outbase: from,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  });
  const page = join(from, BROWSER);
  if (fs.existsSync(page)) {
    require('esbuild').buildSync({
      entryPoints: { viewer: join(page, 'main.ts'), style: join(page, 'style.css') },
      outdir: join(made, BROWSER),
      bundle: true,
      minify: true,
      format: 'iife',
      target: 'es2022',
      charset: 'ascii',
      legalComments: 'none',
      logLevel: 'warning',
      tsconfigRaw: {},
    });
  }
  for (const file of files.filter((each) => !isCode(each) && !isBrowsers(each)))
    fs.cpSync(file, join(made, file.slice(from.length)), { recursive: true });
  if (fs.existsSync(join(from, JUDGE))) makeJudge(from, join(made, JUDGE, 'program'));
  fs.writeFileSync(join(made, '.built'), '');
  // An edit that came while it was made is newer.
  fs.utimesSync(join(made, '.built'), began, began);
  const old = `${made}-old`;
  if (fs.existsSync(to)) fs.renameSync(to, old);
  fs.renameSync(made, to);
  fs.rmSync(old, { recursive: true, force: true });
}

function makeJudge(from, to) {
  require('esbuild').buildSync({
    entryPoints: { judge: join(from, JUDGE, 'main.ts') },
    outdir: to,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    minifySyntax: true,
    minifyWhitespace: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: ['web-tree-sitter', 'tree-sitter-*'],
    logLevel: 'warning',
  });
  const copied = (source, target) => fs.cpSync(source, join(to, target), { recursive: true });
  copied(join(from, 'sandbox', 'guest', 'begin.sh'), 'begin.sh');
  for (const folder of [['guest'], ['grading', 'guest']]) copied(join(from, 'environments', ...folder), 'guest');
}

/** Blocks: nothing can be done without it. */
function build() {
  for (const name of PACKAGES) {
    const folder = join(ROOT, name);
    const lock = join(folder, '.building');
    for (let waited = 0; !isFresh(folder); waited += 50) {
      try {
        fs.mkdirSync(lock);
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
        if (waited > PATIENCE_MS) fs.rmSync(lock, { recursive: true, force: true });
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
        continue;
      }
      try {
        if (!isFresh(folder)) make(folder);
        break;
      } finally {
        fs.rmSync(lock, { recursive: true, force: true });
      }
    }
  }
}

module.exports = build;
if (require.main === module) build();
