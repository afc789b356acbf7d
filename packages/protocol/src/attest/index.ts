// The messages between a relayer and its attesters. Not part of the public API.
export * from './attester-proof.js';
export * from './items.js';
export * from './messages.js';
export * from './request-signature.js';
export * from './reserves.js';
