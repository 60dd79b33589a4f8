import { LRUCache } from 'lru-cache';
import { type PersonAct, type PersonActed, PointsmanError, type RolloutRow } from '../../contract';
import { lookAtServer, uiBeside } from '../../machine/local-services';
import { forkTree } from '../../pages/viewer/fork-tree';
import type { ForkNode, RunEvents, RunLine, RunList, RunPage } from '../../pages/viewer/payload';
import { lineOfRow } from '../../pages/viewer/run-line';
import { readChain, readObservations } from '../../pages/viewer/server/chain-files';
import type { ViewerSource } from '../../pages/viewer/server/server';
import type { Cli } from '../context';
import { findHead } from '../lookup';
import { actAsPerson } from '../rollout/act';
import { runFacts } from '../rollout/reading';
import { type DatasetWord, datasetWord } from './dataset';
import { isOpen, listed, type ViewChoice } from './lines';
import { pageOfHead, pageOfRow, pageOfRun, pageOfSetup, turnEvents } from './pages';

const NO_EVENTS: RunEvents = { history: null, runId: null, turns: {} };

/** The home's store, and the server where one answers: a page of an ended campaign needs none. */
export class HomeSource implements ViewerSource {
  private rows = new Map<string, RolloutRow>();
  private lines = new Map<string, RunLine>();
  private word: DatasetWord | undefined;
  /** Pages of runs that have ended do not change; a long one is not read twice for its turns, its forks and a search. */
  private readonly ended = new LRUCache<string, RunPage>({ max: 4 });
  /** Hashes of the steps behind a head: every run of a problem is compared with every other. */
  private readonly chains = new LRUCache<string, readonly string[]>({ max: 2_000 });

  constructor(
    private readonly cli: Cli,
    private readonly choice: ViewChoice,
  ) {}

  async list(): Promise<RunList> {
    const { choice } = this;
    const served = await this.served();
    const { lines, notes, ...found } = await listed(this.cli, choice, served);
    this.word = choice.dataset === undefined ? undefined : await datasetWord(this.cli, choice.dataset, served);
    this.rows = new Map([...found.rows, ...(this.word?.rows ?? [])].map((row) => [row.id, row]));
    const named = [
      ...(await Promise.all(choice.runs.map(async (id) => (await this.run(id)).line))),
      ...(await Promise.all(choice.setups.map(async (id) => (await pageOfSetup(this.cli, id)).line))),
    ];
    const all = [...lines, ...[...this.rows.values()].map(lineOfRow), ...named];
    this.lines = new Map(all.map((line) => [line.id, this.word?.line(line) ?? line]));
    return { title: titleOf(choice), runs: [...this.lines.values()], notes: [...notes, ...(this.word?.notes ?? [])] };
  }

  async run(id: string): Promise<RunPage> {
    const known = this.ended.get(id);
    if (known) return known;
    const page = this.inDataset(await this.read(id));
    if (!page.live && page.line.status !== 'chain') this.ended.set(id, page);
    return page;
  }

  async forks(id: string): Promise<ForkNode | null> {
    const { lines } = this;
    const instance = lines.get(id)?.instance;
    const family = [...lines.values()].filter((line) => line.kind === 'rollout' && line.instance === instance);
    const branches: { id: string; hashes: readonly string[] }[] = [];
    for (const each of family) {
      const head = await this.headOf(each.id);
      if (head) branches.push({ id: each.id, hashes: await this.hashesOf(head) });
    }
    return forkTree(id, branches) ?? null;
  }

  async events(id: string): Promise<RunEvents> {
    if (!(await this.served())) return NO_EVENTS;
    const client = await this.cli.client();
    const { links } = await this.known(id);
    // The server forgets what ended long ago; a page does without.
    return turnEvents(client.workflow.getHandle(id), links[0]?.[1]).catch(() => NO_EVENTS);
  }

  async search(id: string, words: string): Promise<number[]> {
    const { head } = await this.run(id);
    if (!head || words === '') return [];
    const { blobs } = this.cli;
    const { steps } = await readChain(blobs, head);
    const observations = await readObservations(blobs, steps);
    const wanted = words.toLowerCase();
    return steps.flatMap(({ turn }, at) => {
      const texts = [turn.thought, ...Object.values(turn.action.args).map(String), observations[at]!];
      return texts.some((text) => text.toLowerCase().includes(wanted)) ? [turn.turn] : [];
    });
  }

  async blob(sha256: string): Promise<Buffer> {
    return this.cli.blobs.get(sha256);
  }

  async act(id: string, act: PersonAct): Promise<PersonActed> {
    if (await this.served()) return actAsPerson(await this.cli.client(), id, act);
    throw new PointsmanError('Unavailable', 'no Temporal server answers', '`pointsman up` starts it.');
  }

  private async read(id: string): Promise<RunPage> {
    const { cli } = this;
    const row = this.rows.get(id);
    const training = this.word?.training.get(id) ?? null;
    if (row) return pageOfRow(cli, row, { ...(await this.known(id)), training });
    if (this.lines.get(id)?.kind === 'setup' || this.choice.setups.includes(id)) return pageOfSetup(cli, id);
    const head = await findHead(cli.blobs, id);
    if (head) return pageOfHead(cli, head);
    if (!this.choice.runs.includes(id) && !(await this.served())) {
      throw new PointsmanError(
        'NotFound',
        `no run "${id}" is kept here`,
        'A Temporal server may know it: `pointsman up`.',
      );
    }
    return pageOfRun(cli, await runFacts(cli, id), training);
  }

  private inDataset(page: RunPage): RunPage {
    return this.word ? { ...page, line: this.word.line(page.line) } : page;
  }

  /** Empty where the store does not have the chain. */
  private async hashesOf(head: string): Promise<readonly string[]> {
    const known = this.chains.get(head);
    if (known) return known;
    const hashes = await readChain(this.cli.blobs, head).then(
      (chain) => chain.hashes,
      () => [],
    );
    this.chains.set(head, hashes);
    return hashes;
  }

  private async headOf(id: string): Promise<string | undefined> {
    const row = this.rows.get(id);
    if (row) return row.result?.head;
    return (await this.run(id).catch(() => undefined))?.head ?? undefined;
  }

  /** Whether a server answers; none is started for reading. */
  private async served(): Promise<boolean> {
    const { answers, foreign } = await lookAtServer();
    return answers && !foreign;
  }

  /** The server's word on a run that is known without it. */
  private async known(id: string): Promise<{ runId?: string; links: (readonly [string, string])[] }> {
    if (!(await this.served())) return { links: [] };
    const client = await this.cli.client();
    const described = await client.workflow
      .getHandle(id)
      .describe()
      .catch(() => undefined);
    if (!described) return { links: [] };
    const ui = await uiBeside((await this.cli.local()).address);
    const runId = described.raw.workflowExecutionInfo?.firstRunId || described.runId;
    return { runId, links: ui ? [['UI', this.cli.uiLink(ui, client, id)]] : [] };
  }
}

function titleOf(choice: ViewChoice): string {
  const { campaigns, rollouts, runs, setups, dataset } = choice;
  if (isOpen(choice)) return 'All runs';
  const names = [
    ...(dataset === undefined ? [] : [dataset]),
    ...campaigns,
    ...(rollouts === undefined ? [] : [rollouts]),
    ...runs,
    ...setups,
  ];
  return names.length <= 2 ? names.join(', ') : `${names[0]} and ${names.length - 1} more`;
}
