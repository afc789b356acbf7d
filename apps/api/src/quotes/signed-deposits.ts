import { randomBytes } from 'node:crypto';
import { ChainError, readTokenSignatures, type TokenDomain, type TokenSignatures } from '@causeway/chain';
import { INTENT_WINDOW_SECONDS, getToken, type AddressBook, type Asset, type SignedDeposit } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import {
  encodeAbiParameters,
  encodeFunctionData,
  getTypesForEIP712Domain,
  keccak256,
  slice,
  toHex,
  zeroHash,
  type Address,
  type Hex,
} from 'viem';
import type { Chains } from '../infrastructure.js';
import { withTimeout } from '../last-known-value.js';

/** A deposit of a token. `amount` in atomic units. */
interface TokenDeposit {
  readonly token: Asset;
  readonly amount: bigint;
  readonly senderAddress: Address;
  readonly recipientAddress: Address;
}

/** At least half more than the most that each call took (contracts/gas-snapshot.json). */
const GAS = { permit: 150_000n, authorization: 150_000n };
/** A client waits this long. */
const NODE_TIMEOUT_MS = 2_000;
/** The last arguments of both calls: v, r and s. */
const SIGNATURE_WORDS_BYTES = 96;
const PERMIT = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
};
const RECEIVE = {
  ReceiveWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
};

/** Finds the deposits by a signature that the token takes. None while the nodes do not say: the approval remains. */
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
  const known = await withTimeout(read(), NODE_TIMEOUT_MS, silent).catch((error: unknown) => {
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
  book: AddressBook,
  { token, amount, senderAddress: owner, recipientAddress: recipient }: TokenDeposit,
  domain: TokenDomain,
  nonce: bigint,
  deadline: bigint,
): SignedDeposit {
  const { bridgeLock: to, chainId } = book.ethereum;
  const args = [domain.verifyingContract, amount, recipient, deadline, 0, zeroHash, zeroHash] as const;
  const data = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'depositWithPermit', args });
  const description = `Deposits ${token} for ${recipient} on the partner chain, with a permit instead of an approval.`;
  const call = {
    description,
    chainId,
    from: owner,
    to,
    data: withoutSignature(data),
    value: '0',
    gas: `${GAS.permit}`,
  };
  const message = { owner, spender: to, value: `${amount}`, nonce: `${nonce}`, deadline: `${deadline}` };
  return { standard: 'ERC-2612', typedData: buildTypedData(domain, 'Permit', PERMIT, message), call };
}

function byAuthorization(
  book: AddressBook,
  { token, amount, senderAddress: from, recipientAddress: recipient }: TokenDeposit,
  domain: TokenDomain,
  salt: Hex,
  validBefore: bigint,
): SignedDeposit {
  const { bridgeLock: to, chainId } = book.ethereum;
  const authorization = { from, validAfter: 0n, validBefore, salt, v: 0, r: zeroHash, s: zeroHash };
  const args = [domain.verifyingContract, amount, recipient, authorization] as const;
  const data = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'depositWithAuthorization', args });
  // BridgeLock computes the same nonce, so the signature binds the recipient.
  const nonce = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [recipient, salt]));
  const description = `Deposits ${token} for ${recipient} on the partner chain. Any account may send it and pays the gas.`;
  const gas = `${GAS.authorization}`;
  const call = { description, chainId, from, to, data: withoutSignature(data), value: '0', gas };
  const message = { from, to, value: `${amount}`, validAfter: '0', validBefore: `${validBefore}`, nonce };
  return {
    standard: 'ERC-3009',
    typedData: buildTypedData(domain, 'ReceiveWithAuthorization', RECEIVE, message),
    call,
  };
}

function withoutSignature(data: Hex): Hex {
  return slice(data, 0, -SIGNATURE_WORDS_BYTES);
}

function buildTypedData(
  domain: TokenDomain,
  primaryType: string,
  types: Readonly<Record<string, { name: string; type: string }[]>>,
  message: Readonly<Record<string, string>>,
): SignedDeposit['typedData'] {
  const EIP712Domain = getTypesForEIP712Domain({ domain: { ...domain } });
  return { domain, primaryType, types: { EIP712Domain, ...types }, message };
}
