// The check without its page, for tests of the whole bridge.
export type { FieldJudgement } from './case.js';
export { readFacts } from './facts.js';
export { checkReserves } from './reserves.js';
export { judge } from './judge.js';
export { makeVerifier } from './verifier.js';
