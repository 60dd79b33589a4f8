/** What day it is in every chat template, so that the same messages give the same text on any day: the first of 2025, UTC. */
export const FIXED_DAY = new Date(Date.UTC(2025, 0, 1));

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** Python's `strftime` in the C locale, as far as templates use it; a directive that is not known stays as it is. */
export function strftime(day: Date, format: string): string {
  const padded = (value: number, width = 2, fill = '0') => String(value).padStart(width, fill);
  const [year, month, date, weekday, hour] = [
    day.getUTCFullYear(),
    day.getUTCMonth(),
    day.getUTCDate(),
    day.getUTCDay(),
    day.getUTCHours(),
  ];
  const ofYear = Math.round((Date.UTC(year, month, date) - Date.UTC(year, 0, 0)) / 86_400_000);
  const time = () => `${padded(hour)}:${padded(day.getUTCMinutes())}:${padded(day.getUTCSeconds())}`;
  const directives: Readonly<Record<string, () => string>> = {
    Y: () => String(year),
    y: () => padded(year % 100),
    m: () => padded(month + 1),
    B: () => MONTHS[month]!,
    b: () => MONTHS[month]!.slice(0, 3),
    h: () => MONTHS[month]!.slice(0, 3),
    d: () => padded(date),
    e: () => padded(date, 2, ' '),
    A: () => DAYS[weekday]!,
    a: () => DAYS[weekday]!.slice(0, 3),
    w: () => String(weekday),
    u: () => String(weekday === 0 ? 7 : weekday),
    j: () => padded(ofYear, 3),
    H: () => padded(hour),
    I: () => padded(hour % 12 === 0 ? 12 : hour % 12),
    p: () => (hour < 12 ? 'AM' : 'PM'),
    M: () => padded(day.getUTCMinutes()),
    S: () => padded(day.getUTCSeconds()),
    f: () => padded(day.getUTCMilliseconds() * 1000, 6),
    s: () => String(Math.floor(day.getTime() / 1000)),
    z: () => '+0000',
    Z: () => 'UTC',
    F: () => `${year}-${padded(month + 1)}-${padded(date)}`,
    D: () => `${padded(month + 1)}/${padded(date)}/${padded(year % 100)}`,
    x: () => `${padded(month + 1)}/${padded(date)}/${padded(year % 100)}`,
    T: time,
    X: time,
    R: () => `${padded(hour)}:${padded(day.getUTCMinutes())}`,
    c: () => `${DAYS[weekday]!.slice(0, 3)} ${MONTHS[month]!.slice(0, 3)} ${padded(date, 2, ' ')} ${time()} ${year}`,
    '%': () => '%',
  };
  return format.replace(/%(-?)([a-zA-Z%])/g, (whole, bare: string, name: string) => {
    const value = Object.hasOwn(directives, name) ? directives[name]!() : undefined;
    if (value === undefined) return whole;
    return bare === '' ? value : value.replace(/^[0 ]+(?=.)/, '');
  });
}
