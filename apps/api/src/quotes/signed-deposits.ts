import { randomBytes } from 'node:crypto';
import { ChainError, readTokenSignatures, type TokenSignatures } from '@causeway/chain';
import {
  authorizationTypedData,
  depositWithAuthorizationCall,
  depositWithPermitCall,
  getToken,
  INTENT_WINDOW_SECONDS,
  permitTypedData,
  type AddressBook,
  type Asset,
  type SignedDeposit,
  type TransferCall,
  type TypedDataDomain,
} from '@causeway/protocol';
import { finishInTime } from '@causeway/service/http';
import { getTypesForEIP712Domain, slice, toHex, type Address, type Hex } from 'viem';
import type { Chains } from '../infrastructure.js';
import { toUnsignedCall } from './unsigned-call.js';

/** `amount` in atomic units. */
interface TokenDeposit {
  readonly token: Asset;
  readonly amount: bigint;
  readonly senderAddress: Address;
  readonly recipientAddress: Address;
}

/** How long a client waits for the nodes. */
const NODE_TIMEOUT_MS = 2_000;
/** Size of the last arguments of both calls: v, r and s. */
const SIGNATURE_WORDS_BYTES = 96;
/** A well-formed placeholder until the sender has signed. */
const NO_SIGNATURE: Hex = `0x${'01'.repeat(64)}1b`;

/**
 * Finds the signed deposits that the token supports. Empty while the nodes do not answer: the approval remains
 * possible.
 */
export async function offerSignedDeposits(
  { ethereum }: Pick<Chains, 'ethereum'>,
  book: AddressBook,
  deposit: TokenDeposit,
): Promise<SignedDeposit[]> {
  const token = { address: getToken(book, 'ethereum', deposit.token), chainId: book.ethereum.chainId };
  const read = async () => {
    const blockNumber = await ethereum.agreedHead();
    return ethereum.agree((client) => readTokenSignatures(client, token, deposit.senderAddress, blockNumber));
  };
  const silent = () => new NodesSilentError(`no answer in ${NODE_TIMEOUT_MS} ms`);
  const known = await finishInTime(read(), NODE_TIMEOUT_MS, silent).catch((error: unknown) => {
    if (error instanceof ChainError || error instanceof NodesSilentError) return null;
    throw error;
  });
  return known === null ? [] : signedDeposits(book, deposit, known, Date.now(), toHex(randomBytes(32)));
}

class NodesSilentError extends Error {
  override readonly name = 'NodesSilentError';
}

/** Pure. @param salt 32 bytes that the sender has not used. */
function signedDeposits(
  book: AddressBook,
  deposit: TokenDeposit,
  { domain, permitNonce, hasAuthorization }: TokenSignatures,
  nowMs: number,
  salt: Hex,
): SignedDeposit[] {
  const deadline = BigInt(Math.floor(nowMs / 1_000) + INTENT_WINDOW_SECONDS);
  return [
    ...(permitNonce === null ? [] : [byPermit(book, deposit, domain, permitNonce, deadline)]),
    ...(hasAuthorization ? [byAuthorization(book, deposit, domain, salt, deadline)] : []),
  ];
}

function byPermit(
  { ethereum: { bridgeLock, chainId } }: AddressBook,
  { token, amount, senderAddress: owner, recipientAddress: recipient }: TokenDeposit,
  domain: TypedDataDomain,
  nonce: bigint,
  deadline: bigint,
): SignedDeposit {
  const terms = { bridgeLock, token: domain.verifyingContract, amount, recipient };
  const call = withoutSignature(depositWithPermitCall(terms, deadline, NO_SIGNATURE));
  const description = `Deposits ${token} for ${recipient} on the partner chain, with a permit instead of an approval.`;
  return {
    standard: 'ERC-2612',
    typedData: toTypedData(permitTypedData(domain, { owner, spender: bridgeLock, value: amount, nonce, deadline })),
    call: toUnsignedCall(description, chainId, owner, call),
  };
}

function byAuthorization(
  { ethereum: { bridgeLock, chainId } }: AddressBook,
  { token, amount, senderAddress: from, recipientAddress: recipient }: TokenDeposit,
  domain: TypedDataDomain,
  salt: Hex,
  validBefore: bigint,
): SignedDeposit {
  const terms = { bridgeLock, token: domain.verifyingContract, amount, recipient };
  const call = withoutSignature(depositWithAuthorizationCall(terms, { from, salt, validBefore }, NO_SIGNATURE));
  const description = `Deposits ${token} for ${recipient} on the partner chain. Any account may send it and pays the gas.`;
  const signed = { from, to: bridgeLock, value: amount, validBefore, recipient, salt };
  return {
    standard: 'ERC-3009',
    typedData: toTypedData(authorizationTypedData(domain, signed)),
    call: toUnsignedCall(description, chainId, from, call),
  };
}

function withoutSignature(call: TransferCall): TransferCall {
  return { ...call, data: slice(call.data, 0, -SIGNATURE_WORDS_BYTES) };
}

/** Converts typed data for `eth_signTypedData_v4`: with the domain's type, and numbers as strings. */
function toTypedData({
  domain,
  types,
  primaryType,
  message,
}: ReturnType<typeof permitTypedData | typeof authorizationTypedData>): SignedDeposit['typedData'] {
  const EIP712Domain = getTypesForEIP712Domain({ domain: { ...domain } });
  const texts = Object.entries(message).map(([name, value]) => [name, `${value}`]);
  return { domain, primaryType, types: { EIP712Domain, ...types }, message: Object.fromEntries(texts) };
}
