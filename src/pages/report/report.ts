import { textures } from '../charts/fill';
import { CHART_STYLE } from '../charts/style';
import { html } from '../html';
import { page } from '../shell';
import { csvOf } from './data';
import type { ReportMaterial } from './material';
import { type Part, partHtml } from './part';
import { costPart } from './parts/cost';
import { failuresPart } from './parts/failures';
import { funnelPart, leadFunnel } from './parts/funnel';
import { headlines, leadSentence } from './parts/headline';
import { howPart } from './parts/how';
import { problemsPart } from './parts/problems';
import { repetitionPart } from './parts/repetition';
import { setupsPart } from './parts/setups';
import { shiftPart } from './parts/shift';
import { switchingPart } from './parts/switching';
import { trainingSetPart } from './parts/training-set';
import { REPORT_STYLE } from './style';
import { listed } from './words';

export interface BuiltReport {
  /** The page: one file. */
  readonly page: string;
  /** One a figure, also inside of the page. */
  readonly csv: readonly { readonly name: string; readonly text: string }[];
  readonly parts: readonly string[];
}

/** Parts in their order, each there where its input is. */
const PARTS: readonly ((material: ReportMaterial) => Part | undefined)[] = [
  funnelPart,
  switchingPart,
  repetitionPart,
  trainingSetPart,
  costPart,
  failuresPart,
  shiftPart,
  problemsPart,
  setupsPart,
  howPart,
];

/** The whole report. The same material gives the same bytes. */
export function buildReport(material: ReportMaterial): BuiltReport {
  const parts = PARTS.flatMap((make) => make(material) ?? []);
  const figures = parts.flatMap((part) => part.figures);
  const { title, version } = material;
  return {
    page: page({
      title,
      styles: [CHART_STYLE, REPORT_STYLE],
      body: html`${textures()}<header>
<p class="kind">Pointsman report</p>
<h1>${title}</h1>
</header>
${rehearsalBanner(material)}<main>
${leadOf(material)}${headlines(material)}
<nav aria-label="Parts"><ol>${parts.map((part) => html`<li><a href="#${part.id}">${part.title}</a></li>`)}</ol></nav>
${parts.map(partHtml)}</main>
<footer><p>Made by Pointsman ${version} out of ${sourcesOf(material)}. Everything shown is in this file; each figure carries its CSV.</p></footer>`,
    }),
    csv: figures.map(({ id, data }) => ({ name: `${id}.csv`, text: csvOf(data) })),
    parts: parts.map((part) => part.title),
  };
}

/** What a reader takes away who reads no further. */
function leadOf(material: ReportMaterial) {
  const [sentence, funnel] = [leadSentence(material), leadFunnel(material)];
  const drawn = html`<div class="drawn" tabindex="0" role="region" aria-label="The funnel of all methods">${funnel}</div>`;
  return html`${
    sentence === ''
      ? null
      : html`<p class="lead">${sentence}</p>
`
  }${
    funnel
      ? html`${drawn}
`
      : null
  }`;
}

function rehearsalBanner({ rehearsal, scripted }: ReportMaterial) {
  if (!rehearsal) return null;
  const who = scripted.length > 0 ? ` Scripted: ${listed(scripted)}.` : '';
  return html`<p class="rehearsal" role="note"><strong>This is a rehearsal.</strong> Its models are scripts, so that the whole pipeline can be seen at work without a key.${who} The figures show that the pipeline works; they say nothing about any model.</p>
`;
}

function sourcesOf({
  campaigns,
  rows,
  dataset,
  covariateShift,
  failureAnalysis,
  setups,
  problems,
}: ReportMaterial): string {
  const of = (n: number, one: string) => (n === 0 ? [] : [`${n} ${n === 1 ? one : `${one}s`}`]);
  const found = [
    ...of(campaigns.length, 'campaign'),
    ...of(rows.length, 'rollout'),
    ...of(dataset ? 1 : 0, 'training set'),
    ...of(covariateShift ? 1 : 0, 'covariate shift analysis'),
    ...of(failureAnalysis ? 1 : 0, 'failure analysis'),
    ...of(setups.length, 'set-up'),
    ...of(problems.length, 'build'),
  ];
  return found.length === 0 ? 'nothing' : listed(found, 9);
}
