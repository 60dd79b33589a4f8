import type { Binding, Expression, Passage, PythonModule, Resolution, Unit } from '../syntax';
import { type GlobalKey, keyOf } from './changed-names';
import type { Repository } from './repository';

export interface Item {
  readonly module: PythonModule;
  readonly binding: Binding;
  /** Steps from the target by the shortest way; the target's is 0. */
  readonly distance: number;
}

interface Effect {
  readonly module: PythonModule;
  readonly unit: Unit;
  readonly mutates: readonly GlobalKey[];
}

export type Place = Pick<Expression, 'start' | 'end' | 'line'>;

interface Doubt {
  readonly module: PythonModule;
  readonly node: Place;
  readonly why: string;
}

/** An import of one module that the slice passes through. */
interface NeededImport extends Passage {
  /** Only annotations say the name. */
  readonly annotation: boolean;
}

/** What belongs to a slice: its definitions, what changes them at import, what they import, and what is doubtful. */
export class Selection {
  readonly items = new Map<Binding, Item>();
  /** Names of the items. */
  readonly keys = new Set<GlobalKey>();
  readonly effects = new Map<Unit, Effect>();
  readonly doubts = new Map<string, Doubt>();
  readonly imports = new Map<string, NeededImport>();
  /** Units that are no items: fallbacks of optional imports, and what decides between branches. */
  readonly supports = new Map<Unit, PythonModule>();
  /** Modules that one reads as attributes of their packages without importing them by name. */
  readonly submodules = new Map<PythonModule, Set<PythonModule>>();
  /** Modules that are imported although nothing that they define belongs. */
  readonly touched = new Set<PythonModule>();
  /** Which module needs which: what an order of definition goes by. */
  readonly dependencies: { readonly from: PythonModule; readonly to: PythonModule }[] = [];
  /** Annotations of the slice have to be evaluated as the original evaluates them. */
  keepsAnnotations = false;

  constructor(private readonly repository: Repository) {}

  add(item: Item): void {
    this.items.set(item.binding, item);
    this.keys.add(keyOf(item.module, item.binding.name));
  }

  /** Notes the imports that a name came through, and the modules that they load. */
  pass(resolution: Resolution, annotation: boolean): void {
    for (const entity of resolution.entities) if (entity.kind === 'module') this.touched.add(entity.module);
    for (const passage of resolution.through) {
      const from = passage.binding.imported!;
      const source = this.repository.resolver.moduleNamed(passage.module, from.level, from.module);
      if (source && !annotation) this.touched.add(source);
      const key = `${passage.module.path}:${passage.binding.statement.start}:${passage.binding.name}:${passage.name}`;
      const known = this.imports.get(key);
      if (!known || (known.annotation && !annotation)) this.imports.set(key, { ...passage, annotation });
    }
  }

  doubt(module: PythonModule, node: Place, why: string): void {
    this.doubts.set(`${module.path}:${node.start}:${why}`, { module, node, why });
  }

  /** Whether an import brings something that is not the repository's. */
  isFromOutside(module: PythonModule, { imported, name }: Binding): boolean {
    if (!imported) return false;
    const { resolver } = this.repository;
    if (imported.statement.kind === 'import') {
      const dotted = imported.statement.names.find((each) => (each.alias ?? each.name.split('.')[0]) === name)?.name;
      return !resolver.moduleNamed(module, 0, imported.module) && !(dotted && resolver.moduleNamed(module, 0, dotted));
    }
    return resolver.imported(module, imported, []).entities.every(({ kind }) => kind === 'external');
  }
}
