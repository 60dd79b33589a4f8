import { workflowInfo } from '@temporalio/workflow';
import type {
  FunctionProblemsResult,
  PipelineInput,
  PipelineProgress,
  PipelineRepository,
  PipelineResult,
  PipelineStation,
  RepoSetupResult,
} from '../../contract';
import { isCancellation, messageOf } from '../durable/failures';
import type { Stages } from './stages';

interface Travel {
  readonly input: PipelineInput;
  readonly stages: Stages;
  readonly spent: (cost: PipelineResult['cost']) => void;
  resultOf<T>(id: string): Promise<T>;
}

/** Repositories on their way to problems: each is set up and has its functions made into problems, or is left with a reason. */
export class Travellers {
  readonly stations: PipelineStation[];
  readonly setups: RepoSetupResult[] = [];
  readonly builds: FunctionProblemsResult[] = [];

  constructor(private readonly on: Travel) {
    this.stations = on.input.repositories.map(nowhere);
  }

  /** Takes the repository at this place from where it gets on to its problems. Throws on cancellation only. */
  async travel(at: number): Promise<void> {
    const repository = this.on.input.repositories[at]!;
    const station = this.stations[at]!;
    try {
      if ('build' in repository)
        return this.arrived(station, repository.build, await this.on.resultOf(repository.build));
      const environment = 'setup' in repository ? repository.setup : await this.setUp(repository.source, station);
      station.setup = environment;
      const { id, result } = await this.on.stages.run<FunctionProblemsResult>(
        'problems',
        'functionProblems',
        { ...this.on.input.build, environment },
        `problems of ${station.repository}`,
      );
      this.arrived(station, id, result);
    } catch (error) {
      if (isCancellation(error)) throw error;
      station.trouble = messageOf(error);
    }
  }

  /** The id of a set-up whose environment can be trusted. Throws where there is none. */
  private async setUp(source: string, station: PipelineStation): Promise<string> {
    const asked = { ...this.on.input.setup, source };
    const { id, result } = await this.on.stages.run<RepoSetupResult>(
      'setup',
      'repoSetup',
      asked,
      `set-up of ${source}`,
    );
    const verdict = result.verdict?.verdict;
    this.setups.push(result);
    this.on.spent(result.cost);
    station.setup = id;
    station.setupStatus = [result.status, ...(verdict ? [verdict.replace('_', ' ')] : [])].join(', ');
    const acquitted = verdict === undefined || verdict === 'not_guilty';
    if (result.status === 'verified' && result.image && acquitted) return id;
    throw new Error(`no environment to build on: ${station.setupStatus}${result.detail ? ` (${result.detail})` : ''}`);
  }

  private arrived(station: PipelineStation, build: string, result: FunctionProblemsResult): void {
    Object.assign(station, { build, admitted: result.admitted });
    if (result.admitted === 0) station.trouble = 'none of its functions became a problem';
    this.builds.push(result);
    this.on.spent(result.cost);
  }
}

function nowhere(repository: PipelineRepository): PipelineStation {
  const name = 'source' in repository ? repository.source : 'setup' in repository ? repository.setup : repository.build;
  return { repository: name, setup: null, setupStatus: null, build: null, admitted: 0 };
}

/** Markdown for the Temporal UI's "Current Details". */
export function pipelineDetails(
  input: PipelineInput,
  progress: PipelineProgress,
  troubles: PipelineResult['troubles'],
  waiting: string | undefined,
): string {
  const { phase, stations, problems, working, done } = progress;
  return [
    `**${input.name}** — ${waiting ?? phase}`,
    ...(waiting ? ['', 'The update `resume` goes on; `abandon` ends the pipeline after the stage that runs.'] : []),
    '',
    ...(stations.length > 0 ? ['```', ...stations.map(stationLine), '```', ''] : []),
    `${problems} problems to roll out.`,
    '',
    ...working.map(({ stage, id }) => `- ${stage} works: \`${id}\``),
    ...done.map(({ stage, id, outcome }) => `- ${stage}: ${outcome}, \`${id}\``),
    ...troubles.map(({ stage, trouble }) => `- **${stage} failed**: ${trouble}`),
    '',
    `In full: \`pointsman pipeline show ${workflowInfo().workflowId}\`.`,
  ].join('\n');
}

/** The UI cuts long lines of a code block off without a sign. */
function stationLine({ repository, setupStatus, admitted, build, trouble }: PipelineStation): string {
  const state = trouble ?? (build ? `${admitted} problems` : (setupStatus ?? 'on its way'));
  return `${repository.slice(0, 34).padEnd(34)}  ${state.slice(0, 40)}`;
}
