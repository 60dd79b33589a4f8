/** 0 of nothing. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** `0.523` → `52.3 %` */
export function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}

/** A dash of nothing. */
export function share(part: number, whole: number): string {
  return whole === 0 ? '–' : percent(part / whole);
}
