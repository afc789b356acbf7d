import type { ConfigResponse, Warning, WarningCode } from '@causeway/protocol';
import type { Address } from 'viem';
import type { Bridge } from '../bridge.js';
import type { Finding, FindingCode } from '../finding.js';
import { isCoin, makeFinding } from './planned-transfer.js';

const ENTER_ANOTHER = 'Enter another recipient.';

/** Finds a recipient at which the funds would be lost, judging by the configuration. Pure. */
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
      nextStep: ENTER_ANOTHER,
    }),
  ];
}

/**
 * Finds an intent whose payee only the API names. A wallet's node is not a second witness, because the API may have
 * named it. Pure.
 */
export function findInPayee({ addressBook, partnerRpcUrl }: Bridge): Finding[] {
  if (addressBook === undefined)
    return [
      makeFinding('API_ALONE', 'addressBook', {
        severity: 'note',
        message: 'Only the API says which wallet this intent pays: it is trusted with the whole transfer.',
        nextStep: 'Go on only if you trust the operators of this bridge.',
      }),
    ];
  if (partnerRpcUrl !== undefined) return [];
  return [
    makeFinding('API_ALONE', 'partnerRpcUrl', {
      message:
        'Only the API would say which wallet this intent pays, and an address book means that it is not trusted.',
      nextStep: 'Withdraw by one transaction instead of an intent.',
    }),
  ];
}

/** Code and next step of the finding, by warning code. */
const WARNINGS: Readonly<Partial<Record<string, readonly [FindingCode, string]>>> = {
  RECIPIENT_HAS_NO_CODE: ['RECIPIENT_HAS_NO_CODE', ENTER_ANOTHER],
  RECIPIENT_OF_BRIDGE: ['RECIPIENT_OF_BRIDGE', ENTER_ANOTHER],
  RECIPIENT_CANNOT_MOVE: ['RECIPIENT_CANNOT_MOVE', ENTER_ANOTHER],
  SENDER_CANNOT_PAY: ['BALANCE_TOO_LOW', 'Add funds to the account, or choose a lower amount.'],
  NOT_CHECKED: ['NOT_CHECKED', 'Try again in a minute.'],
} satisfies Record<WarningCode, readonly [FindingCode, string]>;

/**
 * Converts the warnings of a quote to findings. An unknown code becomes a note, since newer bridges may add some. Pure.
 */
export function findInWarnings(warnings: readonly Warning[]): Finding[] {
  return warnings.map(({ code: warned, field, message }) => {
    const [known, nextStep = 'Read this warning before you begin.'] = WARNINGS[warned] ?? [];
    const isAcceptable = known === 'RECIPIENT_HAS_NO_CODE' || known === 'NOT_CHECKED';
    return makeFinding(known ?? 'NOT_CHECKED', field, {
      severity: known === undefined ? 'note' : isAcceptable ? 'acceptable' : 'blocking',
      passes: known === 'NOT_CHECKED',
      message,
      nextStep,
    });
  });
}
