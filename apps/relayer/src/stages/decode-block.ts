import type { VerifiedBlock, VerifiedLog } from '@causeway/chain';
import { assetOfToken, operationId, type AddressBook, type Asset, type FeePolicy } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { OperationTerms, ScannedBlock, ScannedEvent } from '@causeway/store';
import { decodeEventLog, type Address, type Hex } from 'viem';

/** The configuration and the on-chain state that decoding depends on. */
export interface ScanContext {
  readonly book: AddressBook;
  readonly side: 'ethereum' | 'partner';
  readonly ethereumConfirmations: number;
  readonly partnerConfirmations: number;
  readonly policies: Readonly<Record<Asset, FeePolicy>>;
}

/** The bridge contract cannot have emitted this event: the address book is wrong or the node lies. */
export class ImpossibleEventError extends Error {
  override readonly name = 'ImpossibleEventError';
}

const WATCHED = new Set(['Deposit', 'Mint', 'Withdraw', 'Release', 'Credited']);

/**
 * Decodes the events of the bridge contract in a block and derives the operations that begin. Pure.
 *
 * @throws ImpossibleEventError instead of skipping an event: a skipped deposit would be lost.
 */
export function decodeBlock(block: VerifiedBlock, context: ScanContext): ScannedBlock {
  return {
    number: block.number,
    hash: block.hash,
    timestamp: new Date(Number(block.timestampSeconds) * 1000),
    events: block.logs.flatMap((log) => decodeEvent(log, context) ?? []),
    transfers: block.transfers.map(({ transactionHash, from, to, value }) => ({
      txHash: transactionHash,
      payer: lower(from),
      wallet: lower(to),
      callIndex: 0,
      amount: value,
    })),
  };
}

function decodeEvent(log: VerifiedLog, context: ScanContext): ScannedEvent | null {
  const event = decodeEventLog({
    abi: context.side === 'ethereum' ? bridgeLockAbi : bridgeMintAbi,
    topics: [...log.topics] as [Hex, ...Hex[]],
    data: log.data,
  });
  if (!WATCHED.has(event.eventName)) return null;
  const where = { txHash: log.transactionHash, logIndex: log.logIndex };
  switch (event.eventName) {
    case 'Deposit':
      return {
        ...where,
        name: 'Deposit',
        operationId: event.args.depositId,
        args: toText(event.args),
        opens: depositTerms(event.args, context),
      };
    case 'Withdraw':
      return {
        ...where,
        name: 'Withdraw',
        operationId: event.args.withdrawId,
        args: toText(event.args),
        opens: withdrawalTerms(event.args, context),
      };
    case 'Mint':
      return { ...where, name: 'Mint', operationId: event.args.depositId, args: toText(event.args) };
    case 'Release':
      return { ...where, name: 'Release', operationId: event.args.withdrawId, args: toText(event.args) };
    case 'Credited':
      return { ...where, name: 'Credited', operationId: event.args.id, args: toText(event.args) };
    default:
      return null;
  }
}

function depositTerms(
  args: { depositId: Hex; token: Address; sender: Address; recipient: Address; amount: bigint; nonce: bigint },
  { book, ethereumConfirmations }: ScanContext,
): OperationTerms {
  const { chainId, bridgeLock } = book.ethereum;
  assertId(args.depositId, operationId(chainId, bridgeLock, args.nonce));
  return {
    id: args.depositId,
    kind: 'DEPOSIT',
    direction: 'ETHEREUM_TO_PARTNER',
    asset: knownAsset(book, 'ethereum', args.token),
    amount: args.amount,
    fee: 0n,
    feeBps: 0,
    outputAmount: args.amount,
    sender: lower(args.sender),
    recipient: lower(args.recipient),
    originChainId: chainId,
    destinationChainId: book.partner.chainId,
    originNonce: args.nonce,
    requiredConfirmations: ethereumConfirmations,
  };
}

function withdrawalTerms(
  args: {
    withdrawId: Hex;
    token: Address;
    sender: Address;
    destination: Address;
    amount: bigint;
    fee: bigint;
    nonce: bigint;
  },
  { book, partnerConfirmations, policies }: ScanContext,
): OperationTerms {
  const { chainId, bridgeMint } = book.partner;
  assertId(args.withdrawId, operationId(chainId, bridgeMint, args.nonce));
  const asset = knownAsset(book, 'partner', args.token);
  return {
    id: args.withdrawId,
    kind: asset === 'XCN' ? 'NATIVE_WITHDRAWAL' : 'BURN',
    direction: 'PARTNER_TO_ETHEREUM',
    asset,
    amount: args.amount,
    fee: args.fee,
    feeBps: policies[asset].bps,
    outputAmount: args.amount - args.fee,
    sender: lower(args.sender),
    recipient: lower(args.destination),
    originChainId: chainId,
    destinationChainId: book.ethereum.chainId,
    originNonce: args.nonce,
    requiredConfirmations: partnerConfirmations,
  };
}

function knownAsset(book: AddressBook, side: 'ethereum' | 'partner', token: Address): Asset {
  const asset = assetOfToken(book, side, token);
  if (asset === null)
    throw new ImpossibleEventError(
      `Token ${token} on ${side} is not in the address book: list it, or check ADDRESS_BOOK`,
    );
  return asset;
}

function assertId(found: Hex, expected: Hex): void {
  if (found !== expected)
    throw new ImpossibleEventError(
      `The event has the id ${found}, but its number gives ${expected}: check ADDRESS_BOOK and the nodes`,
    );
}

function toText(args: object): Record<string, string> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value).toLowerCase()]));
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address;
}
