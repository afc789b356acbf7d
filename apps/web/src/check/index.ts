// The check without its page, for tests of the whole bridge.
export type { CheckSettings, FieldJudgement, FieldVerdict } from './case.js';
export { readFacts } from './facts.js';
export { judge } from './judge.js';
export { makeVerifier, type Nodes } from './verifier.js';
