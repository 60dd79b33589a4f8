import { quote } from '../../../agent/shell';
import { type Html, html, safeHref, wellFormed } from '../../html';
import { column } from '../data';
import type { ReportMaterial, Run } from '../material';
import type { Part } from '../part';
import { definitions } from './definitions';

interface Made {
  readonly what: string;
  readonly run: Run<{ readonly id: string }>;
}

/** How each number was made: what words mean, which runs it comes from, and how to make it again. */
export function howPart(material: ReportMaterial): Part {
  const made = runsOf(material);
  const { temporalUi, viewer } = material.links;
  const ui = temporalUi?.replace(/\/$/, '');
  const terms = definitions(material).map(([term, meaning]) => html`<div><dt>${term}</dt><dd>${meaning}</dd></div>`);
  return {
    id: 'how',
    title: 'How these numbers were made',
    intro: html`<dl class="definitions">${terms}</dl>`,
    figures: [
      {
        id: 'runs',
        title: 'The runs behind this report',
        caption: html`Workflow ids as the Temporal server and every command know them. The same seed makes the same draws, samples and intervals. Report by Pointsman ${material.version}.${ui ? ' The ids lead to the Temporal UI of the machine that the report was made on.' : null}${viewer ? html` Its <a href="${safeHref(viewer)}">viewer</a> shows every trajectory.` : null}`,
        data: {
          columns: [
            column('part', 'part', 'text'),
            column('type', 'workflow', 'text'),
            column('id', 'workflow id', 'id'),
            column('seed', 'seed', 'text'),
            column('started', 'started (UTC)', 'moment'),
            column('ended', 'ended (UTC)', 'moment'),
          ],
          rows: made.map(({ what, run }) => [
            what,
            run.type,
            run.result.id,
            seedOf(run),
            moment(run.startedAt),
            moment(run.endedAt),
          ]),
        },
        linkOf: ([, , id], { key }) =>
          ui && key === 'id' ? `${ui}/workflows/${encodeURIComponent(wellFormed(String(id)))}` : undefined,
      },
    ],
    after:
      made.length === 0
        ? null
        : html`<h3 id="again">Making it again</h3>
<p class="again">Each run was started with an input and can be started with it again, by <code>temporal workflow start</code> as shown with each or by Pointsman’s own commands.</p>
<div class="again">${made.map(again)}</div>
`,
  };
}

function runsOf(material: ReportMaterial): Made[] {
  const { campaigns, dataset, covariateShift, failureAnalysis, setups, problems } = material;
  return [
    ...setups.map((run) => ({ what: 'set-up', run })),
    ...problems.map((run) => ({ what: 'problems', run })),
    ...campaigns.map((run) => ({ what: 'rollouts', run })),
    ...(dataset ? [{ what: 'training set', run: dataset }] : []),
    ...(covariateShift ? [{ what: 'covariate shift', run: covariateShift }] : []),
    ...(failureAnalysis ? [{ what: 'failures', run: failureAnalysis }] : []),
  ];
}

/** The command that starts the run with the same input, and the input. */
function again({ what, run }: Made): Html {
  const { type, input, queue, result } = run;
  const name = html`${what}: ${result.id}`;
  if (input === null || input === undefined) {
    return html`<details><summary>${name}</summary><p>Its input is not known: the result was given to the report as it is, or the server has forgotten the run.</p></details>`;
  }
  const file = `${type}-${result.id}.json`.replace(/[^A-Za-z0-9._-]+/g, '-');
  const words = [
    '--type',
    type,
    '--task-queue',
    queue ?? 'pointsman',
    '--workflow-id',
    `${result.id}-again`,
    '--input-file',
    file,
  ];
  const json = JSON.stringify(withoutCarry(input), null, 2);
  const address = `data:application/json;charset=utf-8,${encodeURIComponent(wellFormed(json))}`;
  const link =
    json.length > EMBEDDED_CHARS ? null : html`<a href="${safeHref(address)}" download="${file}">${file}</a>`;
  return html`<details><summary>${name}</summary>
<pre class="command" tabindex="0" role="region" aria-label="Command for ${result.id}"><code>temporal workflow start ${words.map(quote).join(' ')}</code></pre>
<pre tabindex="0" role="region" aria-label="Input of ${result.id}"><code>${clipped(json)}</code></pre>
${link}</details>
`;
}

/** An input may hold all its problems: what is shown ends somewhere, and so does what a page should carry. */
const [SHOWN_CHARS, EMBEDDED_CHARS] = [20_000, 1_000_000];

function clipped(json: string): string {
  if (json.length <= SHOWN_CHARS) return json;
  return `${json.slice(0, SHOWN_CHARS)}\n… ${json.length - SHOWN_CHARS} characters more`;
}

/** What a continued run was given besides its input. */
function withoutCarry(input: unknown): unknown {
  return typeof input === 'object' && input !== null ? { ...input, carry: undefined } : input;
}

/** Inputs of these have a seed of 0 where nothing is said. */
const SEEDED = ['campaign', 'dataset', 'covariateShift', 'failureAnalysis', 'functionProblems'];

function seedOf({ type, input }: Made['run']): string | null {
  if (input === null || input === undefined || !SEEDED.includes(type)) return null;
  const { seed } = input as { seed?: unknown };
  return typeof seed === 'number' ? String(seed) : '0';
}

function moment(iso: string | null): string | null {
  return iso === null ? null : iso.slice(0, 19).replace('T', ' ');
}
