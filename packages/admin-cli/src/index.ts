// The commands of the operators, for programs without a terminal.
export { PlanRefusedError, type Clients } from './calls/calls.js';
export { callHash, safeFile, type SafeFile } from './calls/call-hash.js';
export { OptionError, type AdminCommand } from './commands/command.js';
export { ADMIN_COMMANDS, findCommand } from './commands/registry.js';
export { WITHOUT_END } from './plans/pauses.js';
export { prepareCommand, type PreparedTransaction } from './commands/prepare.js';
export { decodeCall, printValue, RoleError } from './calls/route.js';
