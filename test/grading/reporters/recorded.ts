import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a runner wrote or printed, as it was recorded. */
export const recorded = (name: string): string => readFileSync(join(__dirname, 'recorded', name), 'utf8');
