import { formatAmount, type AddressBook, type Asset, type Direction, type Warning } from '@causeway/protocol';
import { zeroAddress, type Address } from 'viem';
import { nameBridgeAddress } from '../bridge-addresses.js';

/** A transfer that has not begun. Null for an account that the client did not name. */
export interface PlannedTransfer {
  readonly token: Asset;
  readonly direction: Direction;
  /** In atomic units. */
  readonly amount: bigint;
  readonly sender: Address | null;
  readonly recipient: Address | null;
}

/** The accounts on one chain. False or null for an account that the client did not name. */
export interface AccountFacts {
  /** Whether the recipient is a contract. False for a key that delegates to a contract (EIP-7702). */
  readonly recipientHasCode: boolean;
  /** The sender's balance of the asset, in atomic units; only on the origin chain. */
  readonly balance: bigint | null;
  /** Whether the recipient is or was the relayer wallet, which cannot claim. */
  readonly isRelayerWallet: boolean;
}

/** Facts by chain; null while a chain's nodes do not answer or do not agree. */
export interface TransferFacts {
  readonly origin: AccountFacts | null;
  readonly destination: AccountFacts | null;
}

/** The request's field names for the accounts. */
export interface FieldNames {
  readonly sender: string;
  readonly recipient: string;
}

/** Precompiles and system contracts have lower addresses. */
const FIRST_ORDINARY_ADDRESS = 0x1_0000n;
/** Conventional address for burning tokens. */
const BURN_ADDRESS = '0x000000000000000000000000000000000000dead';
const CHAINS = {
  ETHEREUM_TO_PARTNER: { origin: 'Ethereum', destination: 'the partner chain' },
  PARTNER_TO_ETHEREUM: { origin: 'the partner chain', destination: 'Ethereum' },
} as const;

/** Finds likely mistakes of a transfer. Pure. */
export function findWarnings(
  book: AddressBook,
  transfer: PlannedTransfer,
  facts: TransferFacts,
  fields: FieldNames,
): Warning[] {
  const ofRecipient = transfer.recipient === null ? null : recipientWarning(book, transfer, facts, fields.recipient);
  const ofSender = transfer.sender === null ? null : senderWarning(transfer, facts, fields.sender);
  return [ofRecipient, ofSender].flatMap((warning) => warning ?? []);
}

function recipientWarning(
  book: AddressBook,
  { direction, recipient }: PlannedTransfer,
  { origin, destination }: TransferFacts,
  field: string,
): Warning | null {
  if (recipient === null) return null;
  const chains = CHAINS[direction];
  const ours = nameBridgeAddress(book, recipient);
  if (ours !== null)
    return { code: 'RECIPIENT_OF_BRIDGE', field, message: `${field} is ${ours}: the funds would be lost there.` };
  if (isWithoutKey(recipient)) {
    const message = `${field} is an address without a key: the funds would be lost there.`;
    return { code: 'RECIPIENT_CANNOT_MOVE', field, message };
  }
  if (origin?.isRelayerWallet === true || destination?.isRelayerWallet === true) {
    const message = `${field} is a former relayer wallet of the bridge: the funds would be lost there.`;
    return { code: 'RECIPIENT_OF_BRIDGE', field, message };
  }
  if (origin?.recipientHasCode === false || destination?.recipientHasCode === true) return null;
  if (origin === null || destination === null) {
    const message = `It cannot be checked now whether ${field} is a contract that is missing on ${chains.destination}.`;
    return { code: 'NOT_CHECKED', field, message };
  }
  const message =
    `${field} is a contract on ${chains.origin} and has no code on ${chains.destination}: ` +
    `the funds can be moved only if the same contract can be deployed there at this address.`;
  return { code: 'RECIPIENT_HAS_NO_CODE', field, message };
}

function senderWarning({ token, direction, amount }: PlannedTransfer, { origin }: TransferFacts, field: string) {
  const chain = CHAINS[direction].origin;
  if (origin === null || origin.balance === null)
    return {
      code: 'NOT_CHECKED',
      field,
      message: `The balance of ${field} on ${chain} cannot be checked now.`,
    } as const;
  if (origin.balance >= amount) return null;
  const has = `${formatAmount(token, origin.balance)} ${token}`;
  const message = `${field} has ${has} on ${chain}, and the transfer takes ${formatAmount(token, amount)} ${token}.`;
  return { code: 'SENDER_CANNOT_PAY', field, message } as const;
}

function isWithoutKey(account: Address): boolean {
  return account === zeroAddress || account === BURN_ADDRESS || BigInt(account) < FIRST_ORDINARY_ADDRESS;
}
