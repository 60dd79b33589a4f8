import { stringify } from 'yaml';
import type { DatasetFile, DatasetFormat, DatasetInput, DatasetResult, FunnelStage, Price, View } from '../contract';
import { EXPORTERS } from './exporters';
import type { MaskBy } from './exporters/exporter';
import { otherHandOvers, summed } from './funnel';
import { PAPER_REPETITION } from './rates';

/** The data set card: what the rows are, where they come from, what was left out and why, and how they are loaded. */
export function cardOf(about: CardAbout): string {
  const sections = [
    introduction(about),
    rowSection(about),
    filesSection(about),
    loadingSection(about.files, about.input.formats),
    templateSection(about),
    sampledSection(about.files),
    teacherSection(about.scored),
    funnelSection(about),
    survivalSection(about.figures.survival),
    repetitionSection(
      about.figures.repetition,
      about.input.filters.identicalActions + about.input.filters.fileReads === 0,
    ),
    choiceSection(about),
    modelSection(about),
    licenceSection(about),
    againSection(about),
  ];
  return `${frontMatter(about)}\n${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function introduction({ input, rows, instances, figures, profiles }: CardAbout): string {
  const total = rows.train + rows.validation;
  const scripted = profiles.filter((profile) => profile.scripted).map(({ name }) => code(name));
  return [
    `# ${cell(input.name)}`,
    '',
    `${plural(total, 'trajectory', 'trajectories')} of coding agents on ${plural(instances, 'instance', 'instances')}, for supervised fine-tuning` +
      (rows.validation > 0
        ? ` (${rows.train} to train, ${rows.validation} to validate; no instance is in both).`
        : '.'),
    `${figures.trainedTurns} of ${plural(figures.turns, 'turn', 'turns')} of the model are trained; ${figures.tokens} tokens in all.`,
    ...(figures.humanRows
      ? [
          `In ${figures.humanRows} of them a person, and no model, made turns that are trained: ${code('human')} is among the ${code('flags')} of their metadata.`,
        ]
      : []),
    ...(scripted.length > 0
      ? [
          '',
          `> **Rehearsal.** ${scripted.join(', ')} ${scripted.length === 1 ? 'is scripted, no model' : 'are scripted, no models'}: the data shows that the pipeline works, and teaches nothing.`,
        ]
      : []),
    ...(total === 0 ? ['', '> **Empty.** No rollout is left; the funnel says where they were lost.'] : []),
  ].join('\n');
}

function rowSection({ view, input }: CardAbout): string {
  const exceptions = Object.entries(input.train).map(
    ([method, authors]) => `${cell(method)}: ${authors.join(' and ')}`,
  );
  return [
    '## What a row is',
    '',
    `One rollout, rendered as the prompt for a model of the dialect ${code(view.dialect)}, with observations of at most`,
    `${view.observationChars} characters. It ends with the last turn. Malformed replies and their repair are not in it. Who wrote each`,
    'turn was recorded when it was made. Loss is on the turns of the expert alone; what the student did before is context' +
      (exceptions.length > 0 ? ` – except here: ${exceptions.join('; ')}.` : '.'),
    ...(view.history.kind === 'full'
      ? []
      : ['', `The view shows a model only its last ${view.history.n} observations; the rows hold all of them.`]),
  ].join('\n');
}

function filesSection({ files }: CardAbout): string {
  const left = files.flatMap(({ path, left: out }) =>
    out.map(({ reason, count }) => `- ${code(path)}: ${count} left out: ${reason.replaceAll('_', ' ')}`),
  );
  return [
    '## Files',
    '',
    markdownTable(
      ['file', 'rows', 'bytes', 'sha256'],
      files.map(({ path, rows, bytes, sha256 }) => [code(path), rows, bytes, code(sha256)]),
    ),
    ...(left.length > 0 ? ['', ...left] : []),
    '',
    '`rows.jsonl` names for each row the chain of steps and the problem that it was made from, `dropped.jsonl` what is not here',
    'and why, `manifest.json` everything that this was made of. `pointsman dataset audit` walks from a row to the model’s answer.',
  ].join('\n');
}

function choiceSection({ input, figures, tokenizer }: CardAbout): string {
  const { filters, perInstance, deduplicate, mixture, maxTokens, validation, seed } = input;
  const choices = [
    ['all tests pass', onOff(filters.resolved)],
    ['ended by `submit`', onOff(filters.submitted)],
    ['the expert took over because of', filters.handOvers ? filters.handOvers.map(words).join(', ') : 'any reason'],
    ...(filters.human
      ? [
          [
            'turns of people',
            filters.human === 'only' ? 'only rows that train one' : 'rows that train one are left out',
          ],
        ]
      : []),
    [
      'identical actions in a row',
      filters.identicalActions === 0 ? '**off**' : `fewer than ${filters.identicalActions}`,
    ],
    ['files read in a row', filters.fileReads === 0 ? '**off**' : `fewer than ${filters.fileReads}`],
    ['rows of an instance', perInstance === null ? 'no limit' : `at most ${perInstance}`],
    ['duplicates', deduplicate ? 'dropped' : '**kept**'],
    ['mixture', mixture ? code(JSON.stringify(mixture)) : 'everything that is left'],
    [
      'tokens of a row',
      `at most ${maxTokens}; ${tokenizer ? `counted by the tokenizer ${code(tokenizer.slice(0, 12))}` : '**estimated**, no tokenizer was given'}`,
    ],
    ['validation', validation === 0 ? 'none' : `${validation} of the instances`],
    ['seed', seed],
  ];
  return [
    '## How rows were chosen',
    '',
    markdownTable(['filter', 'setting'], choices),
    '',
    markdownTable(
      ['source', 'rows'],
      figures.mixture.map(({ name, rows }) => [cell(name), rows]),
    ),
  ].join('\n');
}

function modelSection({ profiles, costs }: CardAbout): string {
  if (profiles.length === 0) return '';
  return [
    '## Models and cost',
    '',
    markdownTable(
      ['profile', 'as', 'model', 'USD per million tokens, in / out'],
      profiles.map(({ name, author, model, price }) => [
        cell(name),
        author,
        model === null ? 'not configured here' : cell(model),
        price ? `${price.input} / ${price.output}` : 'unknown',
      ]),
    ),
    '',
    markdownTable(
      ['method', 'rollouts', 'USD', 'tokens'],
      costs.map(({ method, rollouts, usd, tokens }) => [cell(method), rollouts, usd.toFixed(4), tokens]),
    ),
    '',
    'The cost is that of all rollouts, kept or not.',
  ].join('\n');
}

function licenceSection({ licences }: CardAbout): string {
  if (licences.length === 0) return '';
  return [
    '## Licences',
    '',
    'Of the repositories that the rows quote. What a model wrote is under the terms of its provider besides.',
    '',
    markdownTable(
      ['licence', 'rows'],
      licences.map(({ licence, rows }) => [licence === '' ? 'unknown' : cell(licence), rows]),
    ),
  ].join('\n');
}

function againSection({ input, madeBy }: CardAbout): string {
  return [
    '## Reproducing it',
    '',
    `Made by ${madeBy}. The same rollouts and the same input give the same bytes: \`pointsman dataset build --input FILE\` with`,
    '',
    '```json',
    visible(JSON.stringify(input, null, 2)),
    '```',
  ].join('\n');
}

function onOff(on: boolean): string {
  return on ? 'on' : '**off**';
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Markdown that names from elsewhere cannot break: what stands in a cell stays in it. */

function cell(value: string | number): string {
  return String(value)
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replace(/[\\`*_{}[\]<>|#]/g, (char) => `\\${char}`);
}

function code(value: string): string {
  return `\`${value.replace(/[\p{Cc}\p{Cf}\u2028\u2029`|]+/gu, ' ')}\``;
}

/** JSON in which characters that nobody sees are written as escapes. */
function visible(json: string): string {
  return json.replace(
    /[\p{Cf}\u2028\u2029]/gu,
    (char) =>
      `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}${char.length > 1 ? `\\u${char.charCodeAt(1).toString(16)}` : ''}`,
  );
}

/** A table of finished Markdown; columns of figures are aligned right. */
function markdownTable(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const rule = header.map((_, i) => (rows.length > 0 && rows.every((row) => isFigure(row[i])) ? '---:' : '---'));
  return [header, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function isFigure(value: string | number | undefined): boolean {
  return typeof value === 'number' || /^(?:–|[\d.]+ ?%?)$/.test(value ?? '');
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

/** What a data set's card tells of it. */
export interface CardAbout {
  readonly input: DatasetInput;
  readonly view: View;
  readonly madeBy: string;
  /** Digest of the tokenizer's files; null when lengths are estimated. */
  readonly tokenizer: string | null;
  readonly rows: { readonly train: number; readonly validation: number };
  readonly instances: number;
  readonly figures: Omit<DatasetResult, 'id' | 'folder' | 'files' | 'template' | 'scored' | 'dropped' | 'card'>;
  readonly licences: readonly { readonly licence: string; readonly rows: number }[];
  readonly profiles: readonly {
    readonly name: string;
    readonly author: string;
    readonly model: string | null;
    readonly scripted: boolean;
    readonly price: Price | null;
  }[];
  readonly costs: readonly {
    readonly method: string;
    readonly rollouts: number;
    readonly usd: number;
    readonly tokens: number;
  }[];
  readonly files: readonly DatasetFile[];
  /** As in `DatasetResult`. */
  readonly scored?: DatasetResult['scored'];
  /** As in `DatasetResult`. */
  readonly template?: readonly string[];
}

/** Licences by the names that Hugging Face knows them by, where those are not the SPDX id in lower case. */
const KNOWN = new Set(
  'apache-2.0 mit bsd-2-clause bsd-3-clause isc mpl-2.0 gpl-2.0 gpl-3.0 lgpl-2.1 lgpl-3.0 agpl-3.0 unlicense zlib cc0-1.0 cc-by-4.0 cc-by-sa-4.0 artistic-2.0 epl-2.0 postgresql wtfpl 0bsd'.split(
    ' ',
  ),
);

/** The YAML block that Hugging Face reads: licences, size, and which file is which configuration and split. */
function frontMatter({ input, rows, licences, files }: CardAbout): string {
  const total = rows.train + rows.validation;
  const names = [...new Set(licences.map(({ licence }) => licenceName(licence)))].sort();
  const configs = input.formats.flatMap((format) => {
    const own = files.filter((file) => file.format === format && !file.path.endsWith('/') && file.rows > 0);
    // Parquet where there is one: it has its types with it.
    const type = own.some(({ path }) => path.endsWith('.parquet')) ? '.parquet' : '.jsonl';
    const data_files = own.filter(({ path }) => path.endsWith(type)).map(({ split, path }) => ({ split, path }));
    return data_files.length === 0 ? [] : [{ config_name: format, data_files }];
  });
  const block = {
    pretty_name: input.name,
    license: names.length === 1 ? names[0] : names.length === 0 ? 'other' : names,
    task_categories: ['text-generation'],
    tags: ['code', 'agent', 'software-engineering', 'trajectories', 'expert-corrections'],
    size_categories: [sizeCategory(total)],
    ...(configs.length > 0
      ? { configs: configs.map((config, i) => (i === 0 ? { ...config, default: true } : config)) }
      : {}),
  };
  return `---\n${stringify(block, { lineWidth: 0 })}---\n`;
}

function licenceName(licence: string): string {
  const lower = licence.toLowerCase().replace(/-(only|or-later)$/, '');
  return KNOWN.has(lower) ? lower : licence === '' ? 'unknown' : 'other';
}

function sizeCategory(rows: number): string {
  if (rows < 1_000) return 'n<1K';
  if (rows < 10_000) return '1K<n<10K';
  if (rows < 100_000) return '10K<n<100K';
  return rows < 1_000_000 ? '100K<n<1M' : '1M<n<10M';
}

const MASKS: Readonly<Record<MaskBy, string>> = {
  message: 'by a field of each message',
  completion: 'what stands in `completion`',
  labels: 'by the labels',
  'last-turn': 'the last message alone',
  ignored: '**not by its usual trainers**',
};

/** How each format that was written is loaded, and a warning of those whose trainers do not see the mask. */
function loadingSection(files: readonly DatasetFile[], formats: readonly DatasetFormat[]): string {
  const example = files.find(({ path, split }) => path.endsWith('.parquet') && split === 'train');
  const first = example ?? files.find(({ path, split }) => path.endsWith('.jsonl') && split === 'train');
  const rows = formats.map((format) => [code(format), EXPORTERS[format].loadedBy, MASKS[EXPORTERS[format].mask]]);
  const blind = formats.filter((format) => EXPORTERS[format].mask === 'ignored');
  return [
    '## Loading',
    '',
    ...(first
      ? [
          '```python',
          'from datasets import load_dataset',
          `rows = load_dataset("${loader(first.path)}", data_files="${first.path}", split="train")`,
          '```',
          '',
        ]
      : []),
    markdownTable(['format', 'read by', 'which turns are trained'], rows),
    '',
    'A trainer that is given plain messages and goes by the role alone (TRL with `messages`, LLaMA-Factory, torchtune, verl,',
    "unsloth's response-only mode) trains the student's turns as well. Use a file above that is made for it.",
    ...(blind.length > 0
      ? [
          '',
          `> **Warning.** ${blind.map(code).join(', ')}: the file has the mask, but the trainers that usually read it train every assistant turn.`,
        ]
      : []),
  ].join('\n');
}

function loader(path: string): string {
  return path.endsWith('.parquet') ? 'parquet' : 'json';
}

/** What whoever trains with the tokenizer's chat template should know. */
function templateSection({ template = [] }: CardAbout): string {
  if (template.length === 0) return '';
  return [
    '## Chat template',
    '',
    'Of the tokenizer that was given, found by a look at the first rows:',
    '',
    ...template.map((note) => `- ${cell(note)}.`),
  ].join('\n');
}

/** What is held as it was sampled: how often sequences broke, and what tokenising the text again would have changed. */
function sampledSection(files: readonly DatasetFile[]): string {
  const held = files.flatMap(({ path, sampled }) => (sampled && path.endsWith('.jsonl') ? [{ path, ...sampled }] : []));
  if (held.length === 0) return '';
  const rate = (part: number, whole: number) => (whole === 0 ? '–' : percent(part / whole));
  const counts = (of: Readonly<Record<string, number>>) =>
    Object.entries(of)
      .map(([name, count]) => `${cell(words(name))}: ${count}`)
      .join('; ') || '–';
  return [
    '## Tokens as they were sampled',
    '',
    'A sequence goes on where a prompt begins with the prompt and answer before it; where it does not (a prefix break) another',
    'begins. Drift: trained turns whose text, tokenised again, gives other ids than were sampled.',
    '',
    markdownTable(
      ['file', 'rows', 'answers', 'samples', 'samples a row', 'prefix breaks', 'drift'],
      held.map(({ path, rows, answers, samples, breaks, compared, drifted }) => [
        ...[code(path), rows, answers, samples, rows === 0 ? '–' : (samples / rows).toFixed(2), breaks],
        compared === 0 ? 'no tokenizer' : `${rate(drifted, compared)} of ${compared}`,
      ]),
    ),
    '',
    ...held.map(
      ({ path, tokenised, dropped }) =>
        `- ${code(path)}: tokenised from the text instead: ${counts(tokenised)}. Not given by the servers, or in lengths that do not fit: ${counts(dropped)}.`,
    ),
  ].join('\n');
}

function teacherSection(scored: DatasetResult['scored']): string {
  if (!scored) return '';
  const { profile, sequences, tokens, usd, left } = scored;
  const lost = left.map(({ reason, count }) => `${cell(words(reason))}: ${count}`).join('; ');
  return [
    '## Teacher',
    '',
    `${code(profile)} said of ${plural(sequences, 'sequence', 'sequences')} (${tokens} tokens, $${usd.toFixed(4)}) how likely each sampled token was.`,
    ...(lost === '' ? [] : [`Rows that it did not score: ${lost}.`]),
  ].join('\n');
}

/** Counts by stage and method that sum, and the reason of every loss. */
function funnelSection({ figures: { funnels }, files }: CardAbout): string {
  if (funnels.length === 0) return '## Funnel\n\nIt was made without rollouts.';
  const all =
    funnels.length > 1 ? [...funnels, { method: 'all', funnel: summed(funnels.map(({ funnel }) => funnel)) }] : funnels;
  const stages = funnels[0]!.funnel.stages.map(({ stage }) => stage);
  const other = otherHandOvers(all.at(-1)!.funnel.handOvers);
  const reasons = [...new Set(all.at(-1)!.funnel.losses.map(({ stage, reason }) => `${stage} ${reason}`))];
  const lost = (funnel: (typeof all)[number]['funnel'], key: string) =>
    funnel.losses.find(({ stage, reason }) => `${stage} ${reason}` === key)?.count ?? 0;
  return [
    '## Funnel',
    '',
    'Rollouts that reached each stage; each stage is the one before it without the losses below.',
    '',
    markdownTable(
      ['method', ...stages.map(words)],
      all.map(({ method, funnel }) => [cell(method), ...funnel.stages.map(({ count }) => count)]),
    ),
    '',
    ...(other === ''
      ? []
      : [`The expert took over for another reason than the drawn switch: ${other}. Such a switch is not random.`, '']),
    ...(reasons.length > 0
      ? [
          markdownTable(
            ['lost before', 'reason', ...all.map(({ method }) => cell(method))],
            reasons.map((key) => {
              const [stage, reason] = key.split(' ') as [FunnelStage, string];
              return [words(stage), words(reason), ...all.map(({ funnel }) => lost(funnel, key))];
            }),
          ),
          '',
        ]
      : []),
    ...files
      .filter(({ path, format, left }) => format === 'tokens' && path.endsWith('.jsonl') && left.length > 0)
      .flatMap(({ path, left }) => [
        `Of the rows that were kept ${code(path)} lacks ${left.map(({ reason, count }) => `${count} (${words(reason)})`).join(', ')}.`,
        '',
      ]),
    'Each rollout that is not in the data set is a line of `dropped.jsonl`, with what shows it.',
  ].join('\n');
}

/** Survivorship by the drawn switch index. */
function survivalSection(survival: DatasetResult['survival']): string {
  if (survival.length === 0) return '';
  return [
    '## Switch index',
    '',
    'k student turns were drawn before the expert. A large k leaves the student time to submit first, so that what remains',
    'leans towards small ones.',
    '',
    markdownTable(
      ['k', 'drawn', 'submitted before the switch', 'handed over early', 'handed over', 'of these resolved'],
      survival.map((at) => [
        ...[at.k, at.drawn, at.submittedBeforeSwitch, at.handedOverEarly, at.handedOver, at.resolved],
      ]),
    ),
  ].join('\n');
}

/** What the repetition filter dropped, beside what the paper reports. */
function repetitionSection(repetition: DatasetResult['repetition'], off: boolean): string {
  const paper = PAPER_REPETITION.map(({ setting, rate, reading, identical }) => [
    `paper, ${setting}`,
    '–',
    reading + identical,
    percent(rate),
  ]);
  return [
    '## Repetition',
    '',
    off ? 'The filter was off, so that nothing was dropped.' : 'Of rollouts that passed, those that repeat themselves.',
    '',
    markdownTable(
      ['method', 'passed', 'dropped', 'rate'],
      [
        ...repetition.map(({ method, passed, dropped, rate }) => [cell(method), passed, dropped, percent(rate)]),
        ...paper,
      ],
    ),
  ].join('\n');
}
