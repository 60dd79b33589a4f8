/** A share as a whole percentage that never says 100 of less; `-` where there is nothing to have a share of. */
export function share(value: number | null): string {
  if (value === null) return '-';
  const percent = value < 1 ? Math.min(99, Math.round(value * 100)) : 100;
  return `${percent} %`;
}
