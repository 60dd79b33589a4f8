import type { Environment } from '../environment';

/** The half that the rules had not seen when they were frozen. */
export const HELD_OUT: readonly Environment[] = [];
