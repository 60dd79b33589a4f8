import { quote } from '../../../rollout/shell';
import { type Html, html, safeHref, wellFormed } from '../../html';
import { column } from '../data';
import type { ReportMaterial, Run } from '../material';
import type { Part } from '../part';

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
        : html`<h3 id="again">Reproducing it</h3>
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

/** What the words of the report mean, each where what it speaks of is in the report. */
function definitions({
  rows,
  dataset,
  covariateShift,
  failureAnalysis,
  setups,
  problems,
}: ReportMaterial): [term: string, meaning: string][] {
  const rollouts: [string, string][] = [
    [
      'Rollout',
      'One trajectory of one problem: turns of a student, an expert, or a student and then an expert, in one container.',
    ],
    ['Turn', 'One accepted action. A reply that could not be read is asked for again and is no turn; its cost counts.'],
    [
      'Resolved',
      'All tests that the fix has to make pass, and all that passed before, pass in a fresh container without a network, with the problem’s own test files restored. A rollout without a verdict is not resolved.',
    ],
    [
      '95 % of “resolved”',
      'Percentiles of 2,000 resamples of instances, because rollouts of one instance are alike; never narrower than Wilson’s interval.',
    ],
    ['Handed over', 'The expert made at least one turn.'],
  ];
  const set: [string, string][] = [
    [
      'Kept',
      'In the files of the training set: passed, not repetitive, not over the length, and taken by caps, duplicates and mixture.',
    ],
    [
      'Trained turn',
      'An assistant turn with a loss on it. Turns of a student before the hand-over are context only, unless the input says otherwise.',
    ],
    ['Seconds', 'From start to end of a workflow by the server’s clock, waiting and pauses included.'],
  ];
  const shift: [string, string][] = [
    [
      'Fréchet distance',
      '‖μ₁ − μ₂‖² + tr(Σ₁ + Σ₂ − 2(Σ₁^½ Σ₂ Σ₁^½)^½) of two Gaussians, squared as in FID; exact in the low rank that few rollouts have.',
    ],
    ['KL', 'Of the student’s Gaussian from the expert’s, both covariances with the stated ridge on their diagonals.'],
    [
      'Baseline',
      'The same distance between disjoint halves of the expert’s rollouts: what the number of rollouts alone makes.',
    ],
    [
      'p by permutation',
      '(1 + relabellings at least as far apart) / (1 + relabellings); whole rollouts are relabelled.',
    ],
  ];
  const judged: [string, string][] = [
    ['Bucket', 'Rollouts whose drawn k lies between two bounds, both included. The paper’s: 0–6, 7–15, 16–30.'],
    ['Wilson', 'Score interval of one proportion, 95 %; it takes rollouts as independent.'],
  ];
  const environments: [string, string][] = [
    ['Not guilty', 'No charge of the prosecutor was upheld. An outage or a step limit is an error, never a pass.'],
    [
      'Lift',
      'Share of sources found not guilty with memory, less the share without. Shown only where the interval leaves out 0 and p < 0.05.',
    ],
  ];
  const built: [string, string][] = [
    [
      'Valid harness',
      'Its cases give the same each time on the function itself, and at least one of them reaches the function.',
    ],
    ['Mutation score', 'Share of small wrong changes to the function that some case tells from it.'],
  ];
  return [
    ...(rows.length > 0 || dataset ? rollouts : []),
    ...(dataset ? set.slice(0, 2) : []),
    ...(rows.length > 0 ? set.slice(2) : []),
    ...(covariateShift ? shift : []),
    ...(failureAnalysis ? judged : []),
    ...(setups.length > 0 ? environments : []),
    ...(problems.length > 0 ? built : []),
  ];
}
