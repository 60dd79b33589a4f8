import { DARK, LIGHT, type Theme } from '../../src/pages/theme';

type Colour = readonly [number, number, number];

const linear = (hex: string): Colour =>
  [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Colour;
const luminance = ([r, g, b]: Colour) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
/** WCAG 2, 1.4.3. */
function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(linear(one)), luminance(linear(other))].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** What colours become without one kind of cone: Machado, Oliveira, Fernandes 2009, severity 1. */
const VISION: Readonly<Record<string, readonly (readonly [number, number, number])[]>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function oklab([r, g, b]: Colour): Colour {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function seen(hex: string, kind: string): Colour {
  const colour = linear(hex);
  const through = VISION[kind]!.map((row) => row.reduce((sum, factor, at) => sum + factor * colour[at]!, 0));
  return oklab(through.map((each) => Math.min(1, Math.max(0, each))) as unknown as Colour);
}

function apart(one: string, other: string, kind: string): number {
  const [a, b] = [seen(one, kind), seen(other, kind)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

describe.each([
  ['light', LIGHT],
  ['dark', DARK],
] as [string, Theme][])('%s', (_, theme) => {
  const { page, raised, sunken } = theme;

  test('text can be read on every ground it stands on', () => {
    const pairs = [
      ...(['text', 'muted', 'link', 'good', 'bad', 'warn', 'student', 'expert'] as const).flatMap((name) =>
        [page, raised, sunken].map((ground) => [name, theme[name], ground] as const),
      ),
      ...(['good', 'bad', 'warn', 'student', 'expert'] as const).flatMap((name) => [
        [`${name} on its tint`, theme[name], theme[`${name}Tint`]] as const,
        [`text on the tint of ${name}`, theme.text, theme[`${name}Tint`]] as const,
      ]),
    ];
    expect(
      pairs.filter(([, text, ground]) => contrast(text, ground) < 4.5).map(([name, , on]) => `${name} on ${on}`),
    ).toEqual([]);
  });

  test('series stand out from the page', () => {
    expect(theme.series.filter((colour) => contrast(colour, page) < 3)).toEqual([]);
    expect(theme.series).toHaveLength(8);
  });

  test.each(Object.keys(VISION))('series and authors can be told apart: %s', (kind) => {
    const pairs = theme.series.flatMap((one, at) => theme.series.slice(at + 1).map((other) => [one, other] as const));
    expect(pairs.filter(([one, other]) => apart(one, other, kind) < 0.08)).toEqual([]);
    expect(apart(theme.student, theme.expert, kind)).toBeGreaterThan(0.1);
  });
});
