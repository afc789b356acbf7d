import { Command } from 'commander';
import { reportFailure } from '../cli/terminal.js';
import { addKeyCommands } from './commands/keys.js';
import { addLimitCommands } from './commands/limits.js';
import { addMoneyCommands } from './commands/money.js';
import { addSwitchCommands } from './commands/switches.js';

const program = new Command('admin').description(
  'Changes keys and settings of a bridge and moves its fees. Shows the decoded calls, and sends nothing without --send.',
);

addSwitchCommands(program);
addKeyCommands(program);
addLimitCommands(program);
addMoneyCommands(program);

await program.parseAsync().catch(reportFailure);
