import { bindMember, fieldOf } from './attributes';
import { call, callMethod } from './calls';
import type { Program } from './program';
import { Slot } from './slot';
import type { InstanceValue, Site, Value } from './values';

/** `object.name = value`. */
export function storeAttribute(program: Program, site: Site, object: Slot, name: string, value: Slot): void {
  const { solver, classes } = program;
  solver.on(object, (holder) => {
    switch (holder.kind) {
      case 'instance':
        solver.flow(value, fieldOf(holder.fields, name));
        classes.lookup(holder.class, name, (lookup) => {
          if (lookup.kind === 'found')
            solver.on(lookup.found.slot, (member) => assignThrough(program, site, member, holder, value));
        });
        callMethod(
          program,
          site,
          holder,
          '__setattr__',
          [program.slotFor(program.constant('PyStr', name)), value],
          new Slot(),
        );
        return;
      case 'class':
        return solver.flow(value, classes.patch(holder, name));
      case 'module':
      case 'function':
        return solver.flow(value, fieldOf(holder.fields, name));
      default:
        return;
    }
  });
}

/** Setters of properties, and `__set__` of other descriptors. */
function assignThrough(program: Program, site: Site, member: Value, holder: InstanceValue, value: Slot): void {
  const { solver } = program;
  if (member.kind === 'descriptor' && member.type === 'property') {
    const setter = new Slot();
    solver.on(member.setter, (each) => bindMember(program, site, each, holder, setter));
    call(program, site, setter, { positional: [{ slot: value, spread: false }], keywords: [] }, new Slot());
  } else if (member.kind === 'instance')
    callMethod(program, site, member, '__set__', [program.slotFor(holder), value], new Slot());
}
