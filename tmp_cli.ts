import { Command } from 'commander';
import { Cli } from './src/cli/context';
import { addExperienceCommands } from './src/cli/experience';
const cli = new Cli(); cli.json = process.argv.includes('--json');
const program = new Command('switchyard').option('--json').exitOverride();
addExperienceCommands(program, cli);
program.parseAsync(process.argv.slice(2), { from: 'user' }).then(() => cli.close(), (e) => cli.fail(e));
