import type { PythonIndex, PythonModule, Resolver } from '../syntax';

/** Which modules run when a module is imported: what it imports, its packages, and what those import. */
export class Importing {
  private readonly direct = new Map<PythonModule, readonly PythonModule[]>();
  private readonly closed = new Map<PythonModule, ReadonlySet<PythonModule>>();

  constructor(private readonly resolver: Resolver) {}

  /** The module itself is one of them. */
  closure(of: PythonModule): ReadonlySet<PythonModule> {
    const known = this.closed.get(of);
    if (known) return known;
    const reached = new Set<PythonModule>();
    const open = [of];
    for (let module = open.pop(); module; module = open.pop()) {
      if (reached.has(module)) continue;
      reached.add(module);
      open.push(...packagesOf(this.resolver.index, module), ...this.imported(module));
    }
    this.closed.set(of, reached);
    return reached;
  }

  /** Modules that a module's top level imports, in the order of its imports. */
  imported(module: PythonModule): readonly PythonModule[] {
    const known = this.direct.get(module);
    if (known) return known;
    const found: PythonModule[] = [];
    const add = (level: number, dotted: string) => {
      const imported = this.resolver.moduleNamed(module, level, dotted);
      if (imported) found.push(imported);
    };
    for (const unit of module.units)
      for (const { imported } of unit.binds) {
        if (!imported) continue;
        const { statement, level, module: dotted, name } = imported;
        if (statement.kind === 'import') for (const each of statement.names) add(0, each.name);
        else {
          add(level, dotted);
          if (name !== undefined) add(level, dotted === '' ? name : `${dotted}.${name}`);
        }
      }
    this.direct.set(module, found);
    return found;
  }
}

/** The packages that a module lies in, outermost first. */
export function packagesOf(index: PythonIndex, module: PythonModule): PythonModule[] {
  const folders = module.path.split('/').slice(0, -1);
  return folders
    .map((_, at) => index.byPath.get(`${folders.slice(0, at + 1).join('/')}/__init__.py`))
    .filter((each) => each !== undefined && each !== module && each.path.length > rootLength(module)) as PythonModule[];
}

function rootLength({ root }: PythonModule): number {
  return root === '.' ? 0 : root.length;
}
