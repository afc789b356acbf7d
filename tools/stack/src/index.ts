export type {
  Account,
  AddressBook,
  Condition,
  DelayReason,
  ErrorCode,
  Funding,
  Hex,
  Operation,
  OperationStatus,
  Reached,
  ReachedError,
  RefusedDelivery,
  Scenarios,
  Side,
  Stack,
  StackFacts,
  StackOptions,
} from './stack.js';
export { connectStack, StackError } from './client.js';
export { useStack, type Hooks } from './fixture.js';
export { startStack } from './start-stack.js';
