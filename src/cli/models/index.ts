import { type Command, Option } from 'commander';
import { profileNamed } from '../../config';
import { DialectName, PointsmanError, View } from '../../contract';
import { type Cli, look } from '../context';
import { shareWithDaemons } from '../daemon-environment';
import { type Checked, checkedText } from '../terminal/model-check';
import { safeLines } from '../terminal/safe-text';
import { table } from '../terminal/table';
import { byServer, checkModel } from './check';
import { replyFile, whatBecomes, whatBecomesText } from './read';

/** `models list`, `check` and `read`: the profiles, whether each one really answers, and what becomes of a reply. */
export function addModelCommands(models: Command, cli: Cli): void {
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
    .command('read [file]')
    .description(
      'say what would become of a reply: its action, thought and reasoning, or the error that the model would see',
    )
    .addOption(new Option('--dialect <name>', 'the format that the model was asked for').choices(DialectName.options))
    .option('--profile <name>', 'the profile whose view says the dialect, and what becomes of several actions')
    .addHelpText('after', '\nA text, a message, or the whole answer of a server; from stdin without a file.')
    .action((file: string | undefined, { dialect, profile }: { dialect?: DialectName; profile?: string }) => {
      const view = profile === undefined ? View.parse({}) : profileNamed(cli.settings.config, profile).view;
      const read = whatBecomes(replyFile(file ?? '-'), dialect ? { ...view, dialect } : view);
      cli.print(read, () => safeLines(whatBecomesText(read)).join('\n'));
      if (!read.ok) process.exitCode = 1;
    });
  models
    .command('check [name]')
    .description('send what a rollout sends with each profile, or with one, and say what to change')
    .option('--overflow', 'also send a prompt that cannot fit: as many tokens as contextTokens, which may cost money')
    .action(async (name: string | undefined, { overflow = false }: { overflow?: boolean }) => {
      const { config, file } = cli.settings;
      // Of a person nothing is asked here.
      const all = Object.keys(config.profiles).filter((each) => config.profiles[each]?.provider !== 'person');
      const names = name === undefined ? all : [name];
      if (names.length === 0) {
        throw new PointsmanError(
          'NotFound',
          `${file ?? 'the configuration'} declares no model profiles`,
          'examples/pointsman.yaml shows how; set POINTSMAN_CONFIG or put it at pointsman.yaml.',
        );
      }
      shareWithDaemons(cli.settings);
      const servers = byServer(names.map((each) => [each, profileNamed(config, each)]));
      const found = await Promise.all(
        servers.map(async (profiles) => {
          const done: Checked[] = [];
          for (const [each, profile] of profiles) {
            cli.say(`${each}: asked …`);
            done.push(await checkModel(each, profile, { env: process.env, overflow }));
          }
          return done;
        }),
      );
      const order = new Map(names.map((each, at) => [each, at]));
      const checked = found.flat().sort((a, b) => order.get(a.name)! - order.get(b.name)!);
      cli.print({ ok: checked.every(({ ok }) => ok), models: checked }, () => checkedText(checked, look().width));
      if (checked.some(({ ok }) => !ok)) process.exitCode = 1;
    });
}
