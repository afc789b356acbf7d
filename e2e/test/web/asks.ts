import { isDeepStrictEqual } from 'node:util';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { AskedCall, InjectedWallet } from '@causeway/test-kit';
import { decodeFunctionData, zeroAddress, type Address, type Hex, type TypedDataDefinition } from 'viem';

/** The terms that a transfer may ask a wallet to sign. */
export interface RightTerms {
  readonly chainId: number;
  /** BridgeLock for a deposit, otherwise BridgeMint. */
  readonly contract: Address;
  /** On the origin chain; the zero address for its coin. */
  readonly token: Address;
  readonly amount: bigint;
  readonly recipient: Address;
  /** The highest fee. */
  readonly fee: bigint;
  /** The wallet that an intent pays. */
  readonly relayer: Address;
}

const transferAbi = [...bridgeLockAbi, ...bridgeMintAbi, ...bridgedTokenAbi];
const isSame = (a: unknown, b: unknown) => String(a).toLowerCase() === String(b).toLowerCase();

/** Returns what a wallet was asked for that is not exactly the transfer. */
export function listWrongAsks(wallet: InjectedWallet, right: RightTerms): readonly unknown[] {
  return [
    ...wallet.transactions.filter((call) => call.chainId !== right.chainId || !isRightCall(call, right)),
    ...wallet.typedData.filter((typedData) => !isRightSignature(typedData, right)),
  ];
}

function isRightCall({ to, data, value }: AskedCall, right: RightTerms): boolean {
  const { amount, recipient, token, contract, fee } = right;
  // A payment of an intent carries the intent's id, and calls nothing.
  if (isSame(to, right.relayer)) return value === amount && token === zeroAddress;
  const { functionName, args } = decodeFunctionData({ abi: transferAbi, data });
  const given = (args ?? []).map((each) => (typeof each === 'string' ? each.toLowerCase() : each));
  const isPaid = value === (token === zeroAddress ? amount : 0n);
  const starts = (...wanted: readonly (Hex | bigint)[]) =>
    isDeepStrictEqual(
      given.slice(0, wanted.length),
      wanted.map((each) => (typeof each === 'string' ? each.toLowerCase() : each)),
    );
  if (functionName === 'approve') return isSame(to, token) && value === 0n && starts(contract, amount);
  if (!isSame(to, contract) || !isPaid) return false;
  switch (functionName) {
    case 'depositNative':
      return starts(recipient);
    case 'deposit':
    case 'depositWithPermit':
    case 'depositWithAuthorization':
      return starts(token, amount, recipient);
    case 'burn':
      return starts(token, amount, recipient) && (given[3] as bigint) <= fee;
    case 'withdrawNative':
      return starts(recipient) && (given[1] as bigint) <= fee;
    default:
      return false;
  }
}

function isRightSignature({ domain, primaryType, message }: TypedDataDefinition, right: RightTerms): boolean {
  const { chainId, verifyingContract } = domain ?? {};
  const { value, amount = value, spender, to = spender, recipient } = message as Readonly<Record<string, unknown>>;
  if (Number(chainId) !== right.chainId || !isSame(amount, right.amount)) return false;
  return primaryType === 'XcnWithdrawIntent'
    ? isSame(verifyingContract, right.contract) && isSame(recipient, right.recipient)
    : isSame(verifyingContract, right.token) && isSame(to, right.contract);
}
