import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  describeSlice,
  type FunctionSyntax,
  functionsOf,
  indexRepository,
  openPython,
  type PythonIndex,
  sliceSyntax,
  standaloneModule,
} from '@pointsman/python';
import { pythonFiles } from '../test/files';
import { unpacked } from '../test/slices/recorded';

const PACKAGES = [
  'attrs==24.2.0',
  'boltons==24.1.0',
  'click==8.1.7',
  'jinja2==3.1.4',
  'more-itertools==10.5.0',
  'networkx==3.3',
  'packaging==24.2',
  'parso==0.8.4',
  'pyparsing==3.2.0',
  'python-dateutil==2.9.0.post0',
  'requests==2.32.3',
  'rich==13.7.1',
  'sqlparse==0.5.3',
  'toolz==0.12.1',
];
const MOST = 150;

interface Trial {
  readonly error: string | null;
  readonly original_fails: boolean;
}

/**
 * Slices functions of real packages, writes each slice out alone, imports it, and looks for names that it lacks. Those
 * whose original cannot be imported here (for want of another package) are counted apart.
 */
export async function benchStandalone(args: string[]): Promise<void> {
  const python = await openPython();
  const lines = [
    '| package | files | index ms | slices | ms a slice | definitions | run alone | original fails | lacking |',
  ];
  lines.push('|---|---|---|---|---|---|---|---|---|');
  const troubles: string[] = [];
  for (const wanted of args.length > 0 ? args : PACKAGES) {
    const [name = '', version = ''] = wanted.split('==');
    const folder = unpacked(name, version);
    const files = pythonFiles(folder);
    const started = performance.now();
    const index = indexRepository(python, files);
    const indexed = performance.now();
    const work = mkdtempSync(join(tmpdir(), 'pointsman-standalone-'));
    const functions = chosen(index);
    let definitions = 0;
    let seconds = 0;
    const jobs = functions.map((each, at) => {
      const before = performance.now();
      const slice = sliceSyntax(index, each);
      definitions += describeSlice(slice).items.length;
      seconds += performance.now() - before;
      const alone = join(work, String(at));
      for (const { path, text } of standaloneModule(index, slice)) {
        mkdirSync(dirname(join(alone, path)), { recursive: true });
        writeFileSync(join(alone, path), text);
      }
      return { folder: alone, original: join(folder, each.module.root), module: each.module.name, name: each.qualname };
    });
    const answer = execFileSync('python3', [join(__dirname, 'standalone.py')], {
      input: JSON.stringify(jobs),
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    rmSync(work, { recursive: true, force: true });
    const trials = JSON.parse(answer) as Trial[];
    const apart = trials.filter((each) => each.error !== null && each.original_fails).length;
    const lacking = trials.filter((each) => each.error !== null && !each.original_fails).length;
    trials.forEach(({ error, original_fails: fails }, at) => {
      if (error !== null && !fails) troubles.push(`- ${jobs[at]!.module}.${jobs[at]!.name}: ${error}`);
    });
    const count = functions.length;
    const figures = [files.length, Math.round(indexed - started), count, (seconds / count).toFixed(1)];
    const shares = [(definitions / count).toFixed(1), count - apart - lacking, apart, lacking];
    lines.push(`| ${wanted} | ${[...figures, ...shares].join(' | ')} |`);
  }
  console.log([...lines, '', ...troubles].join('\n'));
}

/** Documented functions, and one method of each class: a method stands for its class. */
function chosen(index: PythonIndex): FunctionSyntax[] {
  const seen = new Set<string>();
  const all = functionsOf(index).filter(({ module, qualname, isNested, docstring }) => {
    const top = `${module.path}:${qualname.split('.')[0]}`;
    if (module.role !== 'source' || isNested || docstring === undefined || seen.has(top)) return false;
    seen.add(top);
    return true;
  });
  const step = Math.max(1, Math.ceil(all.length / MOST));
  return all.filter((_, at) => at % step === 0);
}
