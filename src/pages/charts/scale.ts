/** From a value to a place on the page. */
export interface Scale {
  (value: number): number;
  readonly low: number;
  readonly high: number;
}

export function linear([low, high]: readonly [number, number], [from, to]: readonly [number, number]): Scale {
  const span = high - low || 1;
  return Object.assign((value: number) => from + ((value - low) / span) * (to - from), { low, high });
}

/** Round values (1, 2 or 5 times a power of ten apart) from the one at or below `low` to the one at or above `high`. */
export function ticks(low: number, high: number, wanted = 5): number[] {
  if (!(high > low)) return ticks(low, low + 1, wanted);
  const step = roundStep((high - low) / wanted);
  const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
  return Array.from({ length: last - first + 1 }, (_, at) => cleaned((first + at) * step, step));
}

/** Whole numbers only, for turns and counts. */
export function wholeTicks(low: number, high: number, wanted = 5): number[] {
  const found = ticks(low, high, wanted);
  return found.every(Number.isInteger) ? found : ticks(low, Math.max(high, low + 1), Math.max(1, high - low));
}

/** As many digits behind the point as tell the ticks apart. */
export function tickText(values: readonly number[]): (value: number) => string {
  const step = values.length > 1 ? Math.abs(values[1]! - values[0]!) : 1;
  if (step > 0 && (step < 1e-4 || step >= 1e7)) return (value) => (value === 0 ? '0' : value.toExponential(1));
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return (value) => value.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');
}

function roundStep(raw: number): number {
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5, 10].find((each) => each * power >= raw * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Without the dust of floating point: 0.30000000000000004 is 0.3. */
function cleaned(value: number, step: number): number {
  const digits = Math.max(0, Math.ceil(-Math.log10(step)) + 1);
  return digits > 100 ? value : Number(value.toFixed(Math.min(100, digits)));
}
