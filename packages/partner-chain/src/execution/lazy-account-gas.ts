import { GAS_REFERENCES } from '../fees/fee-schedule.js';

/**
 * What a transaction pays, over its ordinary gas, for each account it brings into being by sending it coin or tokens
 * (specification "Gas rule (lazy account creation)": about 587,000 instead of about 21,000).
 */
export const LAZY_ACCOUNT_GAS = GAS_REFERENCES.newAccountTransfer - GAS_REFERENCES.simpleTransfer;
