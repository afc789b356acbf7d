import { expect } from '@jest/globals';

/** Names of options and fields, which users of an app do not know. */
const IDENTIFIER = /[a-z][A-Z]|[A-Z]_[A-Z]|`|\(\)/;
/** A name of an argument without what to do about it. */
const BARE_FIELD = /\b(correct|check|look at) (the )?(amount|asset|kind|recipient|sender|direction|account|id)\b/i;
/** A chain without its name. */
const BARE_CHAIN = /(?<!\()chain \d/;

/** Expects sentences that tell a user of a wallet page what to do. */
export function expectForUser(nextStep: string): void {
  expect(nextStep).toMatch(/^[A-Z].* .*\.$/);
  for (const refused of [IDENTIFIER, BARE_FIELD, BARE_CHAIN]) expect(nextStep).not.toMatch(refused);
}
