import { junitCases } from './junit-xml';
import { ASKS_NOTHING, Collected, type Reporter } from './reporter';

/** A JUnit report at a path that the problem names, written by whatever its command starts: ids are `classname::name`. */
export const junit: Reporter = {
  name: 'junit',
  starts: () => false,
  asks: () => ASKS_NOTHING,
  read({ file }) {
    const collected = new Collected();
    for (const { name, classname, outcome } of junitCases(file ?? '')) {
      collected.add(classname ? `${classname}::${name}` : name, outcome);
    }
    return collected.outcomes();
  },
};
