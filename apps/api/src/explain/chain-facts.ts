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

/** The records of a hash on the nodes. */
export interface ChainFinding {
  /** Null when neither chain has it. */
  readonly transaction: ExplainedTransaction | null;
  /** The operations that it begins, in log order, as the relayer will store them. Those it has stored, as stored. */
  readonly operations: readonly Operation[];
  /** Of a hash that is not of a transaction. */
  readonly userOperation?: ExecutedUserOperation;
}

/**
 * A look-up costs each node of a chain at most seven requests, and takes two round trips as a rule. Ten at a time leave
 * the nodes to the quotes; two seconds are a block of the partner chain.
 */
const LIMITS = { concurrent: 10, waiting: 100, timeoutMs: 4_000, rememberMs: 2_000 };
const SIDES = ['ethereum', 'partner'] as const;
const NAME = { ethereum: 'Ethereum', partner: 'the partner chain' } as const;
const ABI = { ethereum: bridgeLockAbi, partner: bridgeMintAbi } as const;
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const NOTHING: ChainFinding = { transaction: null, operations: [] };

/** Reads one transaction from both chains, by a quorum and bounded. It searches logs for user operations only. */
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
   * The chains on which an account has used a nonce.
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
      return finding.operations.length > 0 ? finding : Promise.reject(new Error('It begins no operation'));
    });
    // A chain whose nodes hang does not delay an operation of the other one.
    const finding = await Promise.any(beginning).catch(async () => chooseFinding(await Promise.allSettled(looks)));
    if (finding.transaction !== null || finding.operations.length > 0) return finding;
    const executed = await Promise.all(SIDES.map((side) => this.userOperation(side, hash)));
    const userOperation = executed.find((each) => each !== null);
    return userOperation ? { ...finding, userOperation } : finding;
  }

  /** Null also when the nodes do not search that many blocks: the verdict says that the hash is not known. */
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

  /** The assets that it moved to addresses of the bridge, if it did not call the bridge contract. */
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

  /** The operations of its bridge events, by the rules of the relayer. */
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
      // Its number belonged to another transaction that became final: this one is never paid.
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
    // The relayer may have bound a transfer to it since.
    if (intent === null || (intent.origin !== null && intent.origin.txHash !== txHash)) return [];
    if (intent.origin !== null) return [intent];
    const origin = { ...toPlace(mined), logIndex: null };
    return [{ ...intent, status: 'CONFIRMING', origin, ...progress(intent, mined, this.configuration.timing) }];
  }

  /** The rates that users see; the fee is in the event. By the policies before the block, else the present ones. */
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

  /** The arguments of BelowMinimum, with the asset that the call of BridgeMint withdraws. */
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
 * Chooses the finding about a hash of which neither chain shows an operation: a mined transaction, else a pending one.
 *
 * @throws BridgeError SERVICE_UNAVAILABLE when a chain did not answer and the other one has no block with it.
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
      `The nodes of ${chain} ${describeNodes(failure.reason)} at this moment, so nothing is known; try again shortly`,
      { cause: failure.reason },
    );
  }
  return findings.find(({ transaction }) => transaction !== null) ?? NOTHING;
}

/** An operation that the relayer has not read yet, as it will store it. */
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
 * Its confirmations, and when the last needed one of them usually came: an estimate counts from its block, and not from
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

/** As the relayer will store it. */
function quotedEnd({ estimatedSeconds }: OperationTerms, mined: MinedTransaction): Date | null {
  return estimatedSeconds === undefined ? null : new Date(minedAt(mined).getTime() + estimatedSeconds * 1_000);
}

function toPlace({ hash: txHash, blockNumber, blockHash }: MinedTransaction) {
  return { txHash, blockNumber, blockHash };
}

function minedAt({ timestampSeconds }: MinedTransaction): Date {
  return new Date(Number(timestampSeconds) * 1000);
}
