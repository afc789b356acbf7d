import { OptionError, type AdminCommand } from './command.js';
import { KEY_COMMANDS } from './keys.js';
import { LIMIT_COMMANDS } from './limits.js';
import { MONEY_COMMANDS } from './money.js';
import { OFFICE_COMMANDS } from './offices.js';
import { OPENING_COMMANDS } from './openings.js';
import { SUCCESSION_COMMANDS } from './succession.js';
import { SWITCH_COMMANDS } from './switches.js';

/** Every command of an operator, in the order of the help. */
export const ADMIN_COMMANDS: readonly AdminCommand[] = [
  ...SWITCH_COMMANDS,
  ...KEY_COMMANDS,
  ...OFFICE_COMMANDS,
  ...OPENING_COMMANDS,
  ...SUCCESSION_COMMANDS,
  ...LIMIT_COMMANDS,
  ...MONEY_COMMANDS,
];

/**
 * Finds a command by its name.
 *
 * @throws OptionError for the option `command`, listing all commands.
 */
export function findCommand(name: string): AdminCommand {
  const found = ADMIN_COMMANDS.find((command) => command.name === name);
  if (found !== undefined) return found;
  throw new OptionError('command', `must be one of ${ADMIN_COMMANDS.map((command) => command.name).join(', ')}`);
}
