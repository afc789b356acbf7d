import { headerFields } from './header-fields.js';

/** The fields that the pending block, which is not made yet, does not have. */
export const unknownWhilePending = {
  hash: headerFields.hash.nullable().describe('Null for the pending block.'),
  miner: headerFields.miner.nullable().describe('May be null for the pending block.'),
  logsBloom: headerFields.logsBloom.nullable().describe('May be null for the pending block.'),
  number: headerFields.number.nullable().describe('May be null for the pending block.'),
  nonce: headerFields.nonce.nullable().describe('Null for the pending block.'),
};
