import type { ExchangeSettings } from '@causeway/protocol/attest';
import type { Configuration } from '../configuration/configuration.js';

/** The attester's settings that a relayer also has. */
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
 * Describes how a relayer's settings differ from the attester's own, by variable name. Pure. Neither side adopts the
 * other's settings: a delivery waits for the longer hold and for the larger number of confirmations.
 */
export function compareSettings(own: ExchangeSettings, theirs: ExchangeSettings): readonly string[] {
  const differences = (['holdSeconds', 'ethereumConfirmations', 'partnerConfirmations'] as const)
    .filter((name) => own[name] !== theirs[name])
    .map((name) => `${VARIABLES[name]} is ${own[name]} here and ${theirs[name]} at the relayer`);
  return theirs.validSeconds > own.validSeconds
    ? [
        ...differences,
        `the relayer asks for signatures valid for ${theirs.validSeconds} s, above the maximum of ${own.validSeconds} s`,
      ]
    : differences;
}
