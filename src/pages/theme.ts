import { CHART_STYLE } from './charts/style';
import type { Html } from './html';

/** Colours of one appearance. Text colours have a contrast of 4.5 and more on `page`, `raised` and their own tint. */
export interface Theme {
  readonly page: string;
  readonly raised: string;
  readonly sunken: string;
  readonly text: string;
  readonly muted: string;
  /** Rules and frames; `grid` is fainter, for the lines behind a chart. */
  readonly line: string;
  readonly grid: string;
  readonly link: string;
  readonly good: string;
  readonly bad: string;
  readonly warn: string;
  readonly goodTint: string;
  readonly badTint: string;
  readonly warnTint: string;
  /** Who wrote a turn: blue and orange, which every kind of colour vision tells apart. */
  readonly student: string;
  readonly expert: string;
  readonly studentTint: string;
  readonly expertTint: string;
  /** Series of charts: 3:1 against the page, apart from each other in every kind of colour vision. */
  readonly series: readonly string[];
}

export const LIGHT: Theme = {
  page: '#ffffff',
  raised: '#f6f7f9',
  sunken: '#eceff3',
  text: '#1a1f26',
  muted: '#566070',
  line: '#d3d9e0',
  grid: '#e8ebef',
  link: '#0a58a8',
  good: '#17693a',
  bad: '#b0281f',
  warn: '#7d5200',
  goodTint: '#e6f4ea',
  badTint: '#fcebe9',
  warnTint: '#fdf3dc',
  student: '#9a4a00',
  expert: '#0a58a8',
  studentTint: '#fdf0e3',
  expertTint: '#e8f1fb',
  series: ['#0a62b8', '#c65d00', '#19936a', '#a91f85', '#3a0681', '#1390fd', '#63301d', '#8b8ab2'],
};

export const DARK: Theme = {
  page: '#14171c',
  raised: '#1c2027',
  sunken: '#0f1216',
  text: '#e6e9ee',
  muted: '#a0a9b7',
  line: '#363d48',
  grid: '#272d36',
  link: '#7db8f7',
  good: '#6fce92',
  bad: '#ff9388',
  warn: '#e8b750',
  goodTint: '#16301f',
  badTint: '#3a1c1a',
  warnTint: '#33280f',
  student: '#f2a65e',
  expert: '#7db8f7',
  studentTint: '#33230f',
  expertTint: '#14283f',
  series: ['#6cb2f5', '#f0a04b', '#04e3c0', '#c962ba', '#caf769', '#9179fc', '#ba462a', '#b3998b'],
};

/** Light and dark as the reader's system says, or as `data-theme` on the root says; paper is always light. */
export const TOKENS = `
:root{color-scheme:light;${declarations(LIGHT)}}
@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;${declarations(DARK)}}}
@media screen{:root[data-theme=dark]{color-scheme:dark;${declarations(DARK)}}}
:root{
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif;
--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace;
--text-xs:.75rem;--text-s:.8125rem;--text-m:.9375rem;--text-l:1.125rem;--text-xl:1.5rem;--text-2xl:2rem
}`;

/** What every page of ours starts from: type, links, focus, tables, code, and what paper needs. */
export const BASE = `
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:var(--text-m)/1.55 var(--sans);font-variant-numeric:tabular-nums}
h1,h2,h3,h4{line-height:1.25;font-weight:600;text-wrap:balance;margin:0}
h1{font-size:var(--text-2xl);letter-spacing:-.015em}
h2{font-size:var(--text-xl);letter-spacing:-.01em}
h3{font-size:var(--text-l)}
h4{font-size:var(--text-m)}
p,ul,ol,dl,pre,table,figure{margin:0}
a{color:var(--link);text-underline-offset:.15em}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
code,pre,kbd,samp{font-family:var(--mono);font-size:.92em}
pre{overflow:auto;white-space:pre;tab-size:4}
table{border-collapse:collapse}
th,td{text-align:left;vertical-align:baseline;padding:.3rem .75rem .3rem 0}
th{font-weight:600}
.number{text-align:right;font-variant-numeric:tabular-nums}
.muted{color:var(--muted)}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (prefers-reduced-motion:reduce){*{transition:none!important;animation:none!important;scroll-behavior:auto!important}}
@media print{
@page{size:A4;margin:16mm 15mm}
html{font-size:10pt}
body{-webkit-print-color-adjust:exact;print-color-adjust:exact}
a{color:inherit;text-decoration:none}
h1,h2,h3,h4{break-after:avoid}
figure,tr,svg{break-inside:avoid}
thead{display:table-header-group}
}`;

function declarations({ series, ...colours }: Theme): string {
  const named = Object.entries(colours).map(([name, value]) => `--${kebab(name)}:${value}`);
  return [...named, ...series.map((value, at) => `--series-${at + 1}:${value}`)].join(';');
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A chart as a file of its own, with the colours that it takes from the page in a page. */
export function standaloneSvg({ markup }: Html): string {
  const style = `<style>${TOKENS}${CHART_STYLE}svg{background:var(--page)}</style>`;
  return `${markup.replace(/^<svg ([^>]*)>/, (_, given: string) => `<svg xmlns="http://www.w3.org/2000/svg" ${given}>${style}`)}\n`;
}
