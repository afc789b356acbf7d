// The calls of role holders, for the command line and for the console.
export { formatWithUnit, formatDuration, formatRate } from './amounts.js';
export {
  callHash,
  isChecksumRight,
  safeFile,
  safeFileSchema,
  type CallTerms,
  type SafeFile,
} from './calls/call-hash.js';
export {
  clientOn,
  contractOn,
  getContracts,
  getViewParameters,
  PlanRefusedError,
  type Clients,
} from './calls/calls.js';
export { describeError } from './calls/describe-error.js';
export { executeEach, executeTogether, type ExecuteInput } from './calls/execute.js';
export { decodeCall, printValue, RoleError, routeData, type DecodedCall } from './calls/route.js';
export { OptionError, type AdminCommand, type CommandOption, type CommandPlan } from './commands/command.js';
export { prepareCommand, transactionsFromBook, type PreparedTransaction } from './commands/prepare.js';
export { ADMIN_COMMANDS, findCommand } from './commands/registry.js';
export { WITHOUT_END } from './plans/pauses.js';
