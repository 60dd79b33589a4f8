import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { Cli } from '../cli/context';
import { PointsmanError } from '../contract';
import { pointsmanHome } from '../home';
import { ensureServer, uiBeside } from '../machine/local-services';
import { startWorker } from '../machine/local-worker';
import { freePort } from '../machine/ports';
import { daemonPid, logOf, startDaemon, stopDaemon } from '../machine/processes';
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
const WORKER = 'demo-worker';
const MODELS = 'demo-models';

/** Server, scripted models and a worker of the demo's own, beside whatever else runs on this machine. */
export class Stage {
  readonly cli: Cli;

  private constructor(
    readonly client: Client,
    readonly ui: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.cli = new Cli(DEMO_QUEUE);
  }

  /** With a script of models, or without any model. */
  static async set(scripted?: Scripted): Promise<Stage> {
    process.env.POINTSMAN_HOME = pointsmanHome();
    if (scripted) process.env.POINTSMAN_CONFIG = scripted.config;
    const local = await ensureServer(() => {});
    await stopDaemon(WORKER);
    await stopDaemon(MODELS);
    const ui = local.ui ?? (await uiBeside(local.address)) ?? `http://${local.address}`;
    const client = await new Cli(DEMO_QUEUE).client();
    if (!scripted) return new Stage(client, ui, {});
    const port = await freePort(PORT);
    startDaemon({
      name: MODELS,
      program: 'main',
      args: ['rehearsal', 'start', '--script', scripted.script, '--port', String(port)],
    });
    await modelsReady(port);
    return new Stage(client, ui, {
      POINTSMAN_CONFIG: scripted.config,
      POINTSMAN_REHEARSAL_URL: `http://127.0.0.1:${port}/v1`,
    });
  }

  /** Starts a worker, waits until it polls, and gives its pid. The one before must be gone. */
  async startWorker(): Promise<number> {
    return startWorker(this.client, {
      name: WORKER,
      queue: DEMO_QUEUE,
      env: this.env,
    });
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
    () => Stage.set(scripted),
    ({ ui }) => ui,
  );
  await tell.step(
    'worker',
    () => stage.startWorker(),
    () => `task queue ${DEMO_QUEUE}`,
  );
  return stage;
}

async function modelsReady(port: number): Promise<void> {
  await until(`the scripted models did not come up, see ${logOf(MODELS)}`, async () =>
    fetch(`http://127.0.0.1:${port}/v1/models`).then(
      (response) => response.ok,
      () => false,
    ),
  );
}

async function until(failure: string, ready: () => Promise<boolean>): Promise<void> {
  for (const limit = Date.now() + 60_000; !(await ready()); await sleep(100)) {
    if (Date.now() > limit)
      throw new PointsmanError('Unavailable', failure, '`pointsman doctor` checks what it needs.');
  }
}
