import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the cases of a harness may import, as its own docstring tells it: models that write cases are shown this text. */
export function casesApi(): string {
  const source = readFileSync(join(__dirname, 'guest', 'pointsman_cases.py'), 'utf8');
  return /^"""([\s\S]*?)"""/.exec(source)![1]!.trim();
}
