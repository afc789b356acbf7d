// The entry point `@causeway/protocol/rest`. Only this entry and `/admin` need zod, an optional peer dependency.
export { addressBookSchema } from '@causeway/contracts/address-book-schema';
export * from './config.js';
export * from './events.js';
export * from './intents.js';
export * from './operations.js';
export * from './quotes.js';
export * from './refunds.js';
export * from './reserves.js';
export * from './service.js';
export * from './state.js';
export * from './transactions.js';
export * from './warnings.js';
