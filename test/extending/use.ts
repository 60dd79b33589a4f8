import { HandOverPolicy, labelOfSource, parseSource } from '../../src/contract';
import { EXPORTERS } from '../../src/dataset/exporters';
import { buildReport } from '../../src/pages/report/report';
import { DIALECTS } from '../../src/rollout/dialects';
import { authorAt, drawSwitch } from '../../src/rollout/handover';
import { TOOLS } from '../../src/rollout/tools';
import { renderAtoms } from '../../src/setup/experience/atoms';
import { planFor, projectsOf } from '../../src/setup/playbook/plan';
import { factsOf } from '../../src/setup/repository/facts-of';
import type { SetupDossier } from '../../src/setup/roles/role';
import { readCounts } from '../../src/setup/test-output';
import { sparseMaterial } from '../support/sample-report';

const GUEST = { python: null, venv: null, packageManager: 'apt', node: null, conda: false, workdir: '/work' } as const;
const SURVEY = { paths: ['Gemfile', 'lib/a.rb', 'spec/a_spec.rb'], texts: {} };
const DOSSIER: SetupDossier = {
  source: 'gem:rake@13.0.6',
  version: '13.0.6',
  released: null,
  goal: 'its tests pass',
  workdir: '/work',
  survey: SURVEY,
  components: [],
  services: [],
  wanted: [],
  seen: [],
  suggestions: [],
  verified: null,
  stepsLeft: 10,
};

/** Uses what `additions.ts` added, each by the table or the name that users meet it by. Prints what came of it. */
function main(): unknown {
  const named = <Value>(table: Readonly<Record<string, Value>>, name: string) => table[name]!;
  const action = { tool: 'search', args: { text: "it's" } };
  const json = named(DIALECTS, 'json');
  const said = json.renderTurn({ turn: 1, thought: 'look', action });
  const policy = HandOverPolicy.parse({ everyNth: 3 });
  const drawn = drawSwitch(policy, 0, 'instance', 0);
  const search = TOOLS.get('search');
  const [project] = projectsOf(DOSSIER);
  const atom = { name: 'gem_install', args: { packages: ['rake'] } } as unknown as Parameters<typeof renderAtoms>[0][0];
  const alpaca = named(EXPORTERS, 'alpaca');
  return {
    dialect: json.parse({ content: said.message.content, toolCalls: [], finishReason: 'stop' }),
    tool: search?.does.kind === 'command' ? search.does.command(action.args) : null,
    policy: [1, 2, 3, 4].map((turn) => authorAt(policy, drawn, turn)),
    exporter: alpaca.layout === 'lines' && alpaca.isOf({ instruction: 'do', output: 'done' }),
    ecosystem: [factsOf(SURVEY).languages, planFor(project!).map(({ id }) => id)],
    atom: renderAtoms([atom], GUEST).commands,
    source: [parseSource('gem:rake@13.0.6'), labelOfSource('gem:rake@13.0.6')],
    report: buildReport(sparseMaterial()).parts,
    reporter: readCounts('busted spec', '2 successes / 1 failure / 0 errors / 0 pending : 0.01 seconds')?.counts,
  };
}

console.log(JSON.stringify(main()));
