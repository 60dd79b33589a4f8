import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { Config } from '../../src/config';
import {
  CampaignInput,
  DatasetInput,
  EvaluationInput,
  FunctionProblemsInput,
  GradeInput,
  JanitorInput,
  ProblemCheckInput,
  parseInput,
  parseSource,
  ReportInput,
  RepoSetupInput,
  RolloutInput,
} from '../../src/contract';
import { loadScript } from '../../src/model/rehearsal/script';

const EXAMPLES = resolve(__dirname, '..', '..', 'examples');
const read = (name: string) => parse(readFileSync(join(EXAMPLES, name), 'utf8'));

const SCHEMAS = {
  'rollout.json': RolloutInput,
  'rollout-bc.json': RolloutInput,
  'rollout-on-policy.json': RolloutInput,
  'setup-pypi.json': RepoSetupInput,
  'setup-npm.json': RepoSetupInput,
  'setup-family.json': RepoSetupInput,
  'evaluation.json': EvaluationInput,
  'campaign.json': CampaignInput,
  'dataset.json': DatasetInput,
  'function-problems.json': FunctionProblemsInput,
  'report.json': ReportInput,
  'janitor.json': JanitorInput,
  'grade.json': GradeInput,
  'problem-check.json': ProblemCheckInput,
} as const;

it.each(Object.entries(SCHEMAS))('%s is what the contract accepts', (name, schema) => {
  expect(() => parseInput<unknown>(schema, read(name), name)).not.toThrow();
});

it.each(Object.keys(SCHEMAS).filter((name) => name.startsWith('setup-')))(
  '%s names sources that can be fetched',
  (name) => {
    const { source, family } = RepoSetupInput.parse(read(name));
    for (const each of [source, ...(family?.components ?? []).map((part) => part.source)])
      expect(() => parseSource(each)).not.toThrow();
  },
);

it('has every rollout example name profiles of the example configuration', () => {
  const config = parseInput(Config, read('pointsman.yaml'), 'pointsman.yaml');
  for (const name of readdirSync(EXAMPLES).filter((file) => file.startsWith('rollout'))) {
    const { student, expert } = read(name) as { student?: string; expert?: string };
    for (const profile of [student, expert]) if (profile) expect(Object.keys(config.profiles)).toContain(profile);
  }
});

it('has a script that plays the example profiles', () => {
  const { profiles } = parseInput(Config, read('pointsman.yaml'), 'pointsman.yaml');
  const { models } = loadScript(join(EXAMPLES, 'rehearsal.yaml'));
  for (const { model, view } of Object.values(profiles)) expect(models[model]?.dialect).toBe(view.dialect);
});
