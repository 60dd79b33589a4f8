import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { REPOSITORY } from '../src/home';
import { World } from '../test/support/world';
import type { HostsInput, Seen } from './fleet/hosts';
import type { SimulatedRollout } from './fleet/workflow';

const PROCESSES = 2;
const STARTED_AT_ONCE = 50;

/**
 * A fleet as its Temporal server sees it: workers that poll as hosts do, activities that sleep. `fleet --hosts 200
 * --sandboxes 50 --model 60 --minutes 3`: so many places each, seconds that a model thinks, and how long it goes on after the
 * last rollout was begun.
 */
export async function benchFleet(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      hosts: { type: 'string', default: '200' },
      sandboxes: { type: 'string', default: '50' },
      model: { type: 'string', default: '60' },
      minutes: { type: 'string', default: '3' },
    },
  });
  const [hosts, places] = [Number(values.hosts), Number(values.sandboxes)];
  const world = await World.start({ workers: 0, script: { models: {} }, profiles: {} });
  const children: ChildProcess[] = [];
  try {
    console.log(`load ${loadavg()[0]!.toFixed(2)} before`);
    const names = Array.from({ length: hosts }, (_, n) => `h${n}`);
    for (let n = 0; n < PROCESSES; n++) {
      const own = names.filter((_, at) => at % PROCESSES === n);
      children.push(await hostsOf({ ...placeOf(world), names: own, places }));
    }
    const many = hosts * places;
    const input: SimulatedRollout = {
      pool: `${world.queue}-sandboxes`,
      turns: 10_000,
      modelMs: Number(values.model) * 1000,
      commandMs: 1_000,
    };
    const began = Date.now();
    for (let at = 0; at < many; at += STARTED_AT_ONCE) {
      const some = Array.from({ length: Math.min(STARTED_AT_ONCE, many - at) }, (_, n) => at + n);
      await Promise.all(some.map((n) => world.begin('simulatedRollout', input, `fleet-${n}`)));
    }
    const startedIn = (Date.now() - began) / 1000;
    const [cpuBefore, since] = [cpuSeconds(world.serverPid), Date.now()];
    await sleep(Number(values.minutes) * 60_000);
    const serverCpu = (cpuSeconds(world.serverPid) - cpuBefore) / ((Date.now() - since) / 1000);
    const metrics = await world.serverMetrics();
    const seen = await Promise.all(children.map(ended));
    const [claims, commands] = [seen.flatMap((each) => each.claims), seen.flatMap((each) => each.commands)];
    const minutes = (Date.now() - began) / 60_000;
    const rows: [string, string][] = [
      ['hosts × places', `${hosts} × ${places}`],
      ['task queues polled', String(hosts + 2)],
      ['rollouts begun, a second', (many / startedIn).toFixed(0)],
      ['claims made', `${claims.length} of ${many}`],
      ['claims, ms from schedule to start (p50, p95)', quantiles(claims)],
      ['commands a second', (commands.length / (minutes * 60)).toFixed(1)],
      ['commands, ms from schedule to start (p50, p95)', quantiles(commands)],
      ['commands a second that this many would ask for', (many / (Number(values.model) + 1)).toFixed(1)],
      ["the server's processors", serverCpu.toFixed(2)],
      ["the server's memory", `${rssMiB(world.serverPid)} MiB`],
      ['calls that the server refused or timed out', String(troubles(metrics))],
    ];
    console.log('\n| | |\n|---|--:|');
    for (const [what, figure] of rows) console.log(`| ${what} | ${figure} |`);
    console.log(`\nload ${loadavg()[0]!.toFixed(2)} after`);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await world.close();
  }
}

function placeOf({ address, namespace, queue }: World): Pick<HostsInput, 'address' | 'namespace' | 'queue'> {
  return { address, namespace, queue };
}

async function hostsOf(input: HostsInput): Promise<ChildProcess> {
  const program = [join(REPOSITORY, 'node_modules/.bin/tsx'), join(__dirname, 'fleet', 'hosts.ts')];
  const child = spawn(process.execPath, [...program, JSON.stringify(input)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const died = once(child, 'exit').then(([code]) => Promise.reject(new Error(`a process of hosts ended with ${code}`)));
  await Promise.race([once(createInterface(child.stdout!), 'line'), died]);
  died.catch(() => {});
  return child;
}

async function ended(child: ChildProcess): Promise<Seen> {
  const said = once(createInterface(child.stdout!), 'line');
  child.kill('SIGTERM');
  const [line] = (await said) as [string];
  return JSON.parse(line) as Seen;
}

function quantiles(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return `${at(0.5)}, ${at(0.95)}`;
}

const TICKS = 100;
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

function rssMiB(pid: number): string {
  return (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024).toFixed(0);
}

/** Errors of its front door that tell of too much work. */
function troubles(metrics: string): number {
  const counted = metrics.matchAll(/^service_error_with_type\{[^}]*error_type="([^"]*)"[^}]*\} (\S+)$/gm);
  return [...counted]
    .filter(([, type]) => /ResourceExhausted|DeadlineExceeded|Unavailable/i.test(type!))
    .reduce((sum, [, , count]) => sum + Number(count), 0);
}
