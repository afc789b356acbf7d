import type { ConfigResponse, Warning } from '@causeway/protocol';
import type { Address } from 'viem';
import { FINDING_CODES, type Finding, type FindingCode } from './finding.js';
import { isCoin, makeFinding } from './planned-transfer.js';

/** Finds a recipient at which the funds would be lost, as far as the configuration shows. Pure. */
export function findInRecipient(config: ConfigResponse, recipient: Address): Finding[] {
  const { ethereum, partner, relayerWalletAddress } = config;
  const tokens = [...ethereum.tokens, ...partner.tokens].map(({ address, token }) => [
    address,
    `the contract of ${token}`,
  ]);
  const names = new Map([
    ...tokens.map(([address = '', name]) => [address.toLowerCase(), name] as const),
    [ethereum.bridgeLock.toLowerCase(), 'BridgeLock'],
    [partner.bridgeMint.toLowerCase(), 'BridgeMint'],
    [relayerWalletAddress?.toLowerCase(), 'the relayer wallet of the bridge'],
  ]);
  const isZero = isCoin({ address: recipient });
  const name = isZero ? 'the zero address' : names.get(recipient);
  if (name === undefined) return [];
  return [
    makeFinding(isZero ? 'RECIPIENT_IS_ZERO' : 'RECIPIENT_OF_BRIDGE', 'recipient', {
      message: `The recipient is ${name}: the funds would be lost there.`,
      nextStep: 'Enter another recipient.',
    }),
  ];
}

/** The warnings that have another name as findings. */
const CODES: Readonly<Partial<Record<string, FindingCode>>> = { SENDER_CANNOT_PAY: 'BALANCE_TOO_LOW' };

/**
 * Turns the warnings of a quote into findings. A code that this version does not know only informs, since newer bridges
 * may warn of more. Pure.
 */
export function findInWarnings(warnings: readonly Warning[]): Finding[] {
  return warnings.map(({ code: warned, field, message }) => {
    const known = CODES[warned] ?? FINDING_CODES.find((code) => code === warned);
    const isAcceptable = known === 'RECIPIENT_HAS_NO_CODE' || known === 'NOT_CHECKED';
    return makeFinding(known ?? 'NOT_CHECKED', field, {
      severity: known === undefined ? 'note' : isAcceptable ? 'acceptable' : 'blocking',
      passes: known === 'NOT_CHECKED',
      message,
      nextStep: `Look at the ${field}.`,
    });
  });
}
