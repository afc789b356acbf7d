// The entry point `@causeway/contracts/admin`: the commands of the operators, for programs that are no terminal.
export { PlanRefusedError, type Clients } from './calls.js';
export { callHash, safeFile, type SafeFile } from './call-hash.js';
export { OptionError, type AdminCommand } from './command.js';
export { ADMIN_COMMANDS, findCommand } from './commands/registry.js';
export { WITHOUT_END } from './plans/pauses.js';
export { prepareCommand, type PreparedTransaction } from './prepare.js';
export { decodeCall, printValue, RoleError } from './route.js';
