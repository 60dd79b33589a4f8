import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { Cli } from '../cli/context';
import { PointsmanError } from '../contract';
import { pointsmanHome } from '../home';
import { ensureServer, uiBeside } from '../machine/local-services';
import { startWorker } from '../machine/local-worker';
import { assertServedHere } from '../machine/owner';
import { freePort, holds, isFree } from '../machine/ports';
import { comesUp, daemonPid, logOf, startDaemon, stopDaemon } from '../machine/processes';
import type { Narrator } from './narrator';

export const DEMO_QUEUE = 'pointsman-demo';
/** What scripted models answer, and their profiles. */
interface Scripted {
  readonly script: string;
  readonly config: string;
}

/** The two models `demo-student` and `demo-expert`. */
export const SCRIPTED: Scripted = {
  script: join(__dirname, 'models', 'script.yaml'),
  config: join(__dirname, 'models', 'pointsman.yaml'),
};
/** Of the scripted models, where nobody else has it. */
const PORT = 8317;
/** So often another process may take a port first. */
const ATTEMPTS = 5;
const WORKER = 'demo-worker';
const MODELS = 'demo-models';

/** Server, scripted models and a worker of the demo's own, beside whatever else runs on this machine. */
export class Stage {
  readonly cli: Cli;

  private constructor(
    readonly client: Client,
    readonly address: string,
    /** Undefined where it is not known: of a server that others run elsewhere. */
    private readonly ui: string | undefined,
    private readonly env: Readonly<Record<string, string>>,
    private readonly tell: Narrator,
  ) {
    this.cli = new Cli(DEMO_QUEUE);
  }

  /** With a script of models, or without any model. */
  static async set(tell: Narrator, scripted?: Scripted): Promise<Stage> {
    process.env.POINTSMAN_HOME = pointsmanHome();
    if (scripted) process.env.POINTSMAN_CONFIG = scripted.config;
    const local = await ensureServer((line) => tell.note(line));
    await stopDaemon(WORKER);
    await stopDaemon(MODELS);
    const { address } = local;
    const ui = local.ui ?? (await uiBeside(address));
    const client = await new Cli(DEMO_QUEUE).client();
    await assertServedHere(client, DEMO_QUEUE, (line) => tell.note(line));
    if (!scripted) return new Stage(client, address, ui, {}, tell);
    const port = await startModels(scripted, tell);
    const env = {
      POINTSMAN_CONFIG: scripted.config,
      POINTSMAN_REHEARSAL_URL: `http://127.0.0.1:${port}/v1`,
    };
    return new Stage(client, address, ui, env, tell);
  }

  /** The server, for people: its UI, else its address. */
  get where(): string {
    return this.ui ?? this.address;
  }

  /** Where the Temporal UI shows a workflow. */
  inUi(id: string): string {
    return this.ui ? this.cli.uiLink(this.ui, this.client, id) : id;
  }

  /** Starts a worker, waits until it polls, and gives its pid. The one before must be gone. */
  async startWorker(): Promise<number> {
    return startWorker(this.client, { name: WORKER, queue: DEMO_QUEUE, env: this.env }, (line) => this.tell.note(line));
  }

  /** What an out-of-memory killer does: no warning, nothing is cleaned up. */
  killWorker(): number {
    const pid = daemonPid(WORKER);
    if (pid === undefined)
      throw new PointsmanError('Unavailable', 'there is no worker to kill', `Its log is ${logOf(WORKER)}.`);
    process.kill(pid, 'SIGKILL');
    return pid;
  }
}

/** The first part of every demo. `what` comes up beside the worker. */
export async function startServices(tell: Narrator, what: string, scripted?: Scripted): Promise<Stage> {
  tell.title('1. Services');
  const stage = await tell.step(
    what,
    () => Stage.set(tell, scripted),
    ({ where }) => where,
  );
  await tell.step(
    'worker',
    () => stage.startWorker(),
    () => `task queue ${DEMO_QUEUE}`,
  );
  return stage;
}

/** Starts the scripted models and gives their port, when they answer there. The demo of another home may be quicker at one. */
async function startModels({ script }: Scripted, tell: Narrator): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(PORT);
    const args = ['rehearsal', 'start', '--rehearsal', script, '--port', String(port)];
    const pid = startDaemon({ name: MODELS, program: 'main', args });
    const starting = {
      what: 'the process of the scripted models',
      pid,
      log: logOf(MODELS),
      alive: () => daemonPid(MODELS) === pid,
      ready: async () => holds(pid, port),
      hint: 'Start the demo again: what is done is not done twice.',
    };
    try {
      await comesUp(starting, (line) => tell.note(line));
      return port;
    } catch (error) {
      if (attempt === ATTEMPTS || (await isFree(port))) throw error;
    }
  }
}
