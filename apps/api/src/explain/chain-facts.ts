import {
  decodeBridgeEvent,
  decodeUserOperation,
  describeNodes,
  findRevertReason,
  findTransaction,
  findUserOperation,
  isWithdrawal,
  QuorumError,
  readFeePolicies,
  type ExecutedUserOperation,
  type FeeRates,
  type MinedTransaction,
} from '@causeway/chain';
import {
  findAssetByToken,
  BridgeError,
  getCoin,
  confirmations,
  listAssets,
  pickAsset,
  getToken,
  type Arrival,
  type Asset,
  type ExplainedTransaction,
  type OperationTerms,
  type RevertReason,
  type Side,
  type TimingTerms,
} from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Operation, OriginRecord, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import {
  decodeFunctionData,
  hexToBigInt,
  size,
  slice,
  toEventSelector,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, STORE, type Chains } from '../infrastructure.js';
import { OnChainParameters } from '../on-chain-parameters.js';
import { BoundedLookups } from '../bounded-lookups.js';
import { nameBridgeAddress } from '../bridge-addresses.js';

/** The facts that the nodes return about a hash. */
export interface ChainFinding {
  /** Null when neither chain has the transaction. */
  readonly transaction: ExplainedTransaction | null;
  /** The operations that the transaction begins, in log order: as stored, or as the relayer will store them. */
  readonly operations: readonly Operation[];
  /** Set when the hash is a user operation's, not a transaction's. */
  readonly userOperation?: ExecutedUserOperation;
}

/**
 * A look-up costs each node of a chain at most seven requests, usually in two round trips. Ten at a time leave capacity
 * for quotes; two seconds are one block of the partner chain.
 */
const LIMITS = { concurrent: 10, waiting: 100, timeoutMs: 4_000, rememberMs: 2_000 };
const SIDES = ['ethereum', 'partner'] as const;
const NAME = { ethereum: 'Ethereum', partner: 'the partner chain' } as const;
const ABI = { ethereum: bridgeLockAbi, partner: bridgeMintAbi } as const;
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const NOTHING: ChainFinding = { transaction: null, operations: [] };

/** Reads one transaction from both chains by a quorum, with bounded load. It searches logs only for user operations. */
@Injectable()
export class ChainFacts {
  private readonly lookups = new BoundedLookups(LIMITS, (hash) => this.read(hash as Hex));
  private readonly nonces = new BoundedLookups(LIMITS, (sender) => this.readNonces(sender as Address));

  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly parameters: OnChainParameters,
  ) {}

  /** @throws BridgeError SERVICE_UNAVAILABLE when a chain that may have it cannot be read. */
  async find(hash: Hex): Promise<ChainFinding> {
    return this.lookups.get(hash);
  }

  /**
   * Returns the chains on which an account has used a nonce.
   *
   * @throws BridgeError SERVICE_UNAVAILABLE; QuorumError
   */
  async chainsWithNonce(sender: Address, nonce: number): Promise<Side[]> {
    const counts = await this.nonces.get(sender);
    return SIDES.filter((side) => counts[side] > nonce);
  }

  private async readNonces(address: Address): Promise<Record<Side, number>> {
    const countOn = async (side: Side): Promise<number> => {
      const blockNumber = await this.chains[side].agreedHead();
      return this.chains[side].agree((client) => client.getTransactionCount({ address, blockNumber }));
    };
    const [ethereum, partner] = await Promise.all([countOn('ethereum'), countOn('partner')]);
    return { ethereum, partner };
  }

  private async read(hash: Hex): Promise<ChainFinding> {
    const looks = SIDES.map((side) => this.readSide(side, hash));
    const beginning = looks.map(async (look) => {
      const finding = await look;
      return finding.operations.length > 0 ? finding : Promise.reject(new Error('The transaction begins no operation'));
    });
    // Hanging nodes of one chain do not delay an operation found on the other.
    const finding = await Promise.any(beginning).catch(async () => chooseFinding(await Promise.allSettled(looks)));
    if (finding.transaction !== null || finding.operations.length > 0) return finding;
    const executed = await Promise.all(SIDES.map((side) => this.userOperation(side, hash)));
    const userOperation = executed.find((each) => each !== null);
    return userOperation ? { ...finding, userOperation } : finding;
  }

  /** Also null when the nodes refuse to search so many blocks; the verdict then says that the hash is unknown. */
  private async userOperation(side: Side, hash: Hex): Promise<ExecutedUserOperation | null> {
    try {
      const log = await findUserOperation(this.chains[side], hash);
      return log === null ? null : decodeUserOperation(log);
    } catch (error) {
      if (error instanceof QuorumError) return null;
      throw error;
    }
  }

  private async readSide(side: Side, hash: Hex): Promise<ChainFinding> {
    const contract = this.getBridgeAddress(side);
    const tokens = listAssets().map((asset) => getToken(this.configuration.addressBook, side, asset));
    const found = await findTransaction(this.chains[side], hash, [contract, ...tokens]);
    if (found === 'unknown') return NOTHING;
    if (found === 'pending') return { transaction: { side, state: 'pending' }, operations: [] };
    const { succeeded, to } = found;
    const target = this.classifyTarget(side, to);
    if (!succeeded) {
      const revertReason = target === 'bridge' ? await this.revertReason(side, found) : null;
      return { transaction: { side, state: 'reverted', revertReason }, operations: [] };
    }
    const operations =
      target === 'wallet' && side === 'partner' ? await this.paidIntent(found) : await this.begun(side, found);
    const arrivals = operations.length > 0 ? [] : this.arrivals(side, found);
    return { transaction: { side, state: 'succeeded', to, target, arrivals }, operations };
  }

  /** The assets that the transaction moved to bridge addresses, if it did not call the bridge contract. */
  private arrivals(side: Side, { to, value, logs }: MinedTransaction): Arrival[] {
    const { addressBook: book } = this.configuration;
    const contract = this.getBridgeAddress(side);
    if (to === contract || logs.some(({ address }) => address === contract)) return [];
    const at = (asset: Asset, amount: bigint, account: Address): Arrival[] => {
      const name = nameBridgeAddress(book, account);
      return name === null || amount === 0n
        ? []
        : [{ asset, amount, account, name, isWallet: account === book.relayer }];
    };
    const coin = to === null ? [] : at(getCoin(side), value, to);
    const tokens = logs.flatMap(({ address, topics: [event, , receiver], data }) => {
      const asset = findAssetByToken(book, side, address);
      if (asset === null || event !== TRANSFER || receiver === undefined || size(data) !== 32) return [];
      return at(asset, hexToBigInt(data), slice(receiver, 12));
    });
    return [...coin, ...tokens];
  }

  /** The operations of the transaction's bridge events, decoded by the relayer's rules. */
  private async begun(side: Side, mined: MinedTransaction): Promise<Operation[]> {
    const { addressBook: book, timing } = this.configuration;
    const context = { timing, book, side };
    const logs = mined.logs.filter(({ address }) => address === this.getBridgeAddress(side));
    const rates = logs.some(isWithdrawal) ? await this.ratesBefore(mined) : new Map();
    const events = logs.flatMap((log) => decodeBridgeEvent(log, context, rates) ?? []);
    const begun = events.flatMap(({ opens, logIndex }) => (opens === undefined ? [] : [{ opens, logIndex }]));
    const stored = await this.store.operations.findByIds(begun.map(({ opens }) => opens.id));
    return begun.flatMap(({ opens, logIndex }) => {
      const known = stored.find(({ id }) => id === opens.id);
      if (known?.origin?.txHash === mined.hash) return known;
      // Another, final transaction used this operation's id, so this one is never paid.
      if (known !== undefined && known.finalizedAt !== null) return [];
      return unreadOperation(opens, { ...toPlace(mined), logIndex }, mined, timing);
    });
  }

  /** The intent that a transfer to the relayer wallet pays. */
  private async paidIntent(mined: MinedTransaction): Promise<Operation[]> {
    const { hash: txHash, from: payer, value: amount, input, blockNumber } = mined;
    const memo = size(input) === 32 ? input : null;
    const { chainId } = this.configuration.addressBook.partner;
    const transfer = { chainId, txHash, payer, amount, memo, blockNumber, minedAt: minedAt(mined) };
    const id = await this.store.intents.findPaidBy(transfer);
    const intent = id === null ? null : await this.store.operations.findById(id);
    // The relayer may have bound another transfer to it since.
    if (intent === null || (intent.origin !== null && intent.origin.txHash !== txHash)) return [];
    if (intent.origin !== null) return [intent];
    const origin = { ...toPlace(mined), logIndex: null };
    return [{ ...intent, status: 'CONFIRMING', origin, ...progress(intent, mined, this.configuration.timing) }];
  }

  /**
   * The fee rates shown to users, from the policies before the block or else the present ones. The fee itself is in the
   * event.
   */
  private async ratesBefore({ blockNumber }: MinedTransaction): Promise<FeeRates> {
    const { addressBook: book } = this.configuration;
    const at = { blockNumber: blockNumber - 1n };
    const policies = await this.chains.partner
      .agree((client) => readFeePolicies(client, book, at))
      .catch(async (error: unknown) => {
        if (!(error instanceof QuorumError)) throw error;
        return (await this.parameters.read()).policies;
      });
    return new Map(listAssets().map((asset) => [asset, pickAsset(policies, asset).bps]));
  }

  private async revertReason(side: Side, mined: MinedTransaction): Promise<RevertReason | null> {
    const reason = await findRevertReason(this.chains[side], mined, ABI[side]);
    if (reason === null) return null;
    const { errorName, args } = reason;
    return { errorName, minimum: errorName === 'BelowMinimum' ? this.decodeMinimum(mined.input, args) : null };
  }

  /** The arguments of BelowMinimum, with the asset that the BridgeMint call withdraws. */
  private decodeMinimum(data: Hex, [amount, minimum]: readonly unknown[]): RevertReason['minimum'] {
    const call = decodeFunctionData({ abi: bridgeMintAbi, data });
    const token = call.functionName === 'burn' ? call.args[0] : zeroAddress;
    const asset = findAssetByToken(this.configuration.addressBook, 'partner', token);
    return asset === null ? null : { asset, amount: amount as bigint, minimum: minimum as bigint };
  }

  private getBridgeAddress(side: Side): Address {
    const { ethereum, partner } = this.configuration.addressBook;
    return side === 'ethereum' ? ethereum.bridgeLock : partner.bridgeMint;
  }

  private classifyTarget(side: Side, to: Address | null): 'bridge' | 'token' | 'wallet' | 'other' {
    const book = this.configuration.addressBook;
    if (to === this.getBridgeAddress(side)) return 'bridge';
    if (to === book.relayer) return 'wallet';
    return to !== null && findAssetByToken(book, side, to) !== null ? 'token' : 'other';
  }
}

/**
 * Chooses the finding for a hash without an operation on either chain: a mined transaction, else a pending one.
 *
 * @throws BridgeError SERVICE_UNAVAILABLE when one chain did not answer and the other has no block with the
 *   transaction.
 */
function chooseFinding(sides: readonly PromiseSettledResult<ChainFinding>[]): ChainFinding {
  const findings = sides.flatMap((side) => (side.status === 'fulfilled' ? [side.value] : []));
  const mined = findings.find(({ transaction }) => transaction !== null && transaction.state !== 'pending');
  if (mined !== undefined) return mined;
  const away = sides.findIndex(({ status }) => status === 'rejected');
  const failure = sides[away];
  if (failure?.status === 'rejected') {
    const chain = NAME[SIDES[away] ?? 'ethereum'];
    throw new BridgeError(
      'SERVICE_UNAVAILABLE',
      `The nodes of ${chain} ${describeNodes(failure.reason)} now, so the transaction cannot be looked up; try again shortly`,
      { cause: failure.reason },
    );
  }
  return findings.find(({ transaction }) => transaction !== null) ?? NOTHING;
}

/** Builds an operation that the relayer has not read yet, as the relayer will store it. */
function unreadOperation(
  terms: OperationTerms,
  origin: OriginRecord,
  mined: MinedTransaction,
  timing: TimingTerms,
): Operation {
  return {
    ...terms,
    status: 'CONFIRMING',
    origin,
    ...progress(terms, mined, timing),
    finalizedAt: null,
    holdUntil: null,
    holdReleasedAt: null,
    delayedReason: null,
    delayedSince: null,
    attempts: 0,
    nextAttemptAt: null,
    refundId: null,
    destinationTxHash: null,
    settlement: null,
    failureReason: null,
    expiredAt: null,
    quotedCompletionAt: quotedEnd(terms, mined),
    createdAt: minedAt(mined),
  };
}

/**
 * Returns the confirmations, and when the last needed one usually arrived: an estimate counts from that block, not from
 * the time of the request.
 */
function progress(
  { direction, requiredConfirmations }: OperationTerms,
  mined: MinedTransaction,
  { blockSeconds }: TimingTerms,
): Pick<Operation, 'originConfirmations' | 'updatedAt'> {
  const originConfirmations = confirmations(mined.headBlock, mined.blockNumber);
  const usualMs = 1_000 * blockSeconds[direction === 'ETHEREUM_TO_PARTNER' ? 'ethereum' : 'partner'];
  const confirmingMs = usualMs * (Math.min(originConfirmations, requiredConfirmations) - 1);
  const atMs = minedAt(mined).getTime();
  return { originConfirmations, updatedAt: new Date(Math.max(atMs, Math.min(atMs + confirmingMs, Date.now()))) };
}

/** The value that the relayer will store. */
function quotedEnd({ estimatedSeconds }: OperationTerms, mined: MinedTransaction): Date | null {
  return estimatedSeconds === undefined ? null : new Date(minedAt(mined).getTime() + estimatedSeconds * 1_000);
}

function toPlace({ hash: txHash, blockNumber, blockHash }: MinedTransaction) {
  return { txHash, blockNumber, blockHash };
}

function minedAt({ timestampSeconds }: MinedTransaction): Date {
  return new Date(Number(timestampSeconds) * 1000);
}
