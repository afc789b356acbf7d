import type { ExchangeSettings } from '@causeway/protocol/attest';
import type { Configuration } from '../configuration/configuration.js';

/** The own settings that a relayer has, too. */
export function readOwnSettings({ verifier, chains, validitySeconds }: Configuration): ExchangeSettings {
  return {
    holdSeconds: verifier.holdSeconds,
    ethereumConfirmations: chains.ethereum.confirmations,
    partnerConfirmations: chains.partner.confirmations,
    validSeconds: validitySeconds,
  };
}

const VARIABLES = {
  holdSeconds: 'HOLD_SECONDS',
  ethereumConfirmations: 'ETHEREUM_CONFIRMATIONS',
  partnerConfirmations: 'PARTNER_CONFIRMATIONS',
} as const;

/**
 * Says how the settings of a relayer differ from the own ones, in the words of the variables. Pure. Neither side obeys
 * the other: of two holds and of two numbers of confirmations a delivery waits for the longer one.
 */
export function compareSettings(own: ExchangeSettings, theirs: ExchangeSettings): readonly string[] {
  const differences = (['holdSeconds', 'ethereumConfirmations', 'partnerConfirmations'] as const)
    .filter((name) => own[name] !== theirs[name])
    .map((name) => `${VARIABLES[name]} is ${own[name]} here and ${theirs[name]} at the relayer`);
  return theirs.validSeconds > own.validSeconds
    ? [
        ...differences,
        `the relayer asks for signatures of ${theirs.validSeconds} s, and none above ${own.validSeconds} s is given`,
      ]
    : differences;
}
