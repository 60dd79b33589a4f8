import type { CardAbout } from './about';
import { frontMatter } from './front-matter';
import { funnelSection, repetitionSection, survivalSection } from './funnel-tables';
import { loadingSection } from './loading';
import { cell, code, markdownTable, visible } from './markdown';

/** The data set card: what the rows are, where they come from, what was left out and why, and how they are loaded. */
export function cardOf(about: CardAbout): string {
  const sections = [
    introduction(about),
    rowSection(about),
    filesSection(about),
    loadingSection(about.files, about.input.formats),
    funnelSection(about.figures.funnels),
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
    ...(scripted.length > 0
      ? [
          '',
          `> **Rehearsal.** ${scripted.join(', ')} ${scripted.length === 1 ? 'is scripted, no model' : 'are scripted, no models'}: the data shows that the line works, and teaches nothing.`,
        ]
      : []),
    ...(total === 0 ? ['', '> **Empty.** No rollout came this far; the funnel says where they stopped.'] : []),
  ].join('\n');
}

function rowSection({ view, input }: CardAbout): string {
  const exceptions = Object.entries(input.train).map(
    ([method, authors]) => `${cell(method)}: ${authors.join(' and ')}`,
  );
  return [
    '## What a row is',
    '',
    `One rollout, rendered as a model of the dialect ${code(view.dialect)} would have been prompted, with observations of at most`,
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
    [
      'identical actions in a row',
      filters.identicalActions === 0 ? '**off**' : `fewer than ${filters.identicalActions}`,
    ],
    ['files read in a row', filters.fileReads === 0 ? '**off**' : `fewer than ${filters.fileReads}`],
    ['rows of an instance', perInstance === null ? 'no limit' : `at most ${perInstance}`],
    ['duplicates', deduplicate ? 'dropped' : '**kept**'],
    ['mixture', mixture ? code(JSON.stringify(mixture)) : 'all that is left'],
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
    '## Making it again',
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
