import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { profileNamed } from '../config';
import { isPointsmanError, type ModelProfile, PointsmanError } from '../contract';
import { createChatModel } from '../model';
import { duration } from '../pages/figures';
import { functionSchema, TOOLS } from '../rollout/tools';
import { type Cli, look } from './context';
import { shareWithDaemons } from './daemon-environment';
import { table } from './terminal/table';

/** `models list` and `models check`: the profiles, and whether each one really answers. */
export function addModelCommands(program: Command, cli: Cli): void {
  const models = program.command('models').description('model profiles of the configuration');
  models
    .command('list')
    .description('list the profiles')
    .action(() => {
      const profiles = Object.entries(cli.settings.config.profiles).map(([name, profile]) => ({
        name,
        provider: profile.provider,
        model: profile.model,
        baseUrl: profile.baseUrl ?? null,
        dialect: profile.view.dialect,
        contextTokens: profile.contextTokens,
        priced: profile.price !== undefined,
      }));
      cli.print({ config: cli.settings.file ?? null, profiles }, () =>
        profiles.length === 0
          ? 'no profiles: examples/pointsman.yaml shows how to declare some'
          : table(
              profiles,
              [
                { title: 'PROFILE', value: ({ name }) => name },
                { title: 'PROVIDER', value: ({ provider }) => provider },
                { title: 'MODEL', value: ({ model }) => model, elastic: true },
                { title: 'DIALECT', value: ({ dialect }) => dialect },
                { title: 'CONTEXT', value: ({ contextTokens }) => String(contextTokens), right: true },
                { title: 'PRICE', value: ({ priced }) => (priced ? 'known' : 'unknown') },
              ],
              look().width,
            ),
      );
    });
  models
    .command('check [name]')
    .description('make one tiny real call with each profile, or with one')
    .action(async (name: string | undefined) => {
      const { config, file } = cli.settings;
      const names = name === undefined ? Object.keys(config.profiles) : [name];
      if (names.length === 0) {
        throw new PointsmanError(
          'NotFound',
          `${file ?? 'the configuration'} declares no model profiles`,
          'examples/pointsman.yaml shows how; set POINTSMAN_CONFIG or put it at pointsman.yaml.',
        );
      }
      shareWithDaemons(cli.settings);
      const checked = await Promise.all(names.map((each) => checkModel(each, profileNamed(config, each), process.env)));
      cli.print({ ok: checked.every(({ ok }) => ok), models: checked }, () => checkedText(checked));
      if (checked.some(({ ok }) => !ok)) process.exitCode = 1;
    });
}

function checkedText(checked: readonly Checked[]): string {
  const rows = table(
    checked,
    [
      { title: 'PROFILE', value: ({ name }) => name },
      { title: 'ANSWERS', value: ({ ok }) => (ok ? 'yes' : 'NO') },
      { title: 'LATENCY', value: ({ latencyMs }) => (latencyMs === null ? '-' : duration(latencyMs)), right: true },
      { title: 'TOOL CALL', value: ({ toolCall }) => (toolCall === null ? '-' : toolCall ? 'yes' : 'no') },
      { title: 'PRICE', value: ({ priced }) => (priced ? 'known' : 'unknown') },
      { title: 'CONTEXT', value: ({ contextTokens }) => String(contextTokens), right: true },
      { title: 'MODEL', value: ({ model }) => model, elastic: true },
    ],
    look().width,
  );
  const failures = checked
    .filter(({ ok }) => !ok)
    .map(({ name, error, hint }) => `${name}: ${error}${hint ? `\n  → ${hint}` : ''}`);
  return [rows, ...(failures.length > 0 ? ['', ...failures] : [])].join('\n');
}

interface Checked {
  readonly name: string;
  readonly ok: boolean;
  /** The model that the server says it ran. */
  readonly model: string;
  readonly latencyMs: number | null;
  /** Whether it answered with a call of the tool it was offered; dialects in text do without. */
  readonly toolCall: boolean | null;
  readonly priced: boolean;
  readonly contextTokens: number;
  readonly error: string | null;
  readonly hint: string | null;
}

const PATIENCE_SECONDS = 60;

/** One small request over the very path that rollouts take. Never throws: what went wrong is the answer. */
async function checkModel(name: string, profile: ModelProfile, env: NodeJS.ProcessEnv): Promise<Checked> {
  const about = { name, priced: profile.price !== undefined, contextTokens: profile.contextTokens };
  try {
    const timeoutSeconds = Math.min(profile.timeoutSeconds, PATIENCE_SECONDS);
    const small = { ...profile, timeoutSeconds, maxOutputTokens: Math.min(profile.maxOutputTokens, 1024) };
    const { reply, latencyMs, model } = await createChatModel(small, { name, env }).complete(
      {
        messages: [
          { role: 'system', content: 'You are being checked. Answer with one call of the tool bash.' },
          { role: 'user', content: 'Call bash with the command: echo ready' },
        ],
        tools: [functionSchema(TOOLS.get('bash')!)],
      },
      { requestId: `models-check/${randomUUID()}` },
    );
    return { ...about, ok: true, model, latencyMs, toolCall: reply.toolCalls.length > 0, error: null, hint: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = isPointsmanError(error) ? error.hint : null;
    return { ...about, ok: false, model: profile.model, latencyMs: null, toolCall: null, error: message, hint };
  }
}
