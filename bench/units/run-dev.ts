import { benchUnits } from '../prove-units';

benchUnits(process.argv.slice(2)).then(
  () => process.exit(0),
  (e) => {
    console.error(e.message);
    process.exit(1);
  },
);
