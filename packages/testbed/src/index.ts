export { BalanceSheet } from './demo/balance-sheet.js';
export { connect } from './environment/clients.js';
export { makeTables, roleUrl } from './environment/database.js';
export { bootEnvironment, type Environment } from './environment/environment.js';
export { DEFAULT_ENVIRONMENT_OPTIONS, type EnvironmentOptions } from './environment/options.js';
export { stackFileSchema, type StackFile } from './environment/stack-file.js';
export { User } from './environment/user.js';
export type { Child } from './processes/child-process.js';
export { waitUntil } from './processes/process-group.js';
