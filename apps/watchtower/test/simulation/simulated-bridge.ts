import { bridgeLockAbi, bridgeMintAbi, sentinelAbi } from '@causeway/contracts/abi';
import { computeIntentId, computeRefundId, type ExplainedIntent, type PlacedLog, type Side } from '@causeway/verifier';
import {
  decodeEventLog,
  decodeFunctionData,
  encodeFunctionData,
  encodeFunctionResult,
  keccak256,
  numberToHex,
  parseAbi,
  toEventSelector,
  zeroAddress,
  zeroHash,
  type Address,
  type Hex,
} from 'viem';
import {
  GENERATED_SETTINGS,
  GeneratedBridge,
  GENESIS,
  PERIODS,
  type GeneratedBlock,
} from '../../../../packages/verifier/test/generated-chain.js';
import { encodeEvent, type EventArguments } from '../../../../packages/verifier/test/generated/event-encoder.js';
import type { Asset } from '../../../../packages/verifier/test/generated/world.js';
import { SimulatedChain, type Logs } from './simulated-chain.js';
import type { Answers } from './simulated-node.js';
import { integer, makeKey, makeTransaction, type Transaction } from './transactions.js';

/** The state of a chain that a watchtower reads. */
export interface State {
  /** By token: the collateral on Ethereum, the supply on the partner chain. */
  readonly amounts: Readonly<Record<Address, bigint>>;
  readonly pausedUntil: bigint;
  readonly areDeliveriesPaused: boolean;
  readonly pauses: bigint;
  /** The pauser's nonce. */
  readonly sent: bigint;
}

/** An event of a contract. */
export interface Event {
  readonly side: Side;
  readonly name: string;
  readonly args: EventArguments;
}

const SIDES = ['ethereum', 'partner'] as const;
/** Unix seconds of the deployment. */
export const START = GENESIS + Number(GENERATED_SETTINGS.partner.deployedAtBlock) * PERIODS.partner;
const NAMES = new Set([
  'Deposit',
  'Withdraw',
  'Mint',
  'Release',
  'Refunded',
  'Swept',
  'Retired',
  'ToppedUp',
  'PauseSet',
  'PausedBy',
]);
const EVENTS = [...bridgeLockAbi, ...bridgeMintAbi, ...sentinelAbi].filter(
  (item) => item.type === 'event' && NAMES.has(item.name),
);
const SELECTORS = new Set(EVENTS.map((item) => toEventSelector(item as never)));
const VIEWS = parseAbi([
  'function locked(address token) view returns (uint256)',
  'function pauses() view returns (uint256 until, bool deliveries, uint256 count)',
  'function totalSupply() view returns (uint256)',
]);
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const NO_ATTESTATION = { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] } as const;
const NOTHING: State = { amounts: {}, pausedUntil: 0n, areDeliveriesPaused: false, pauses: 0n, sent: 0n };
const DAY = 86_400;
/** The watchtower's account. */
const PAUSER: Address = numberToHex(0x9a5, { size: 20 });

/** The account of all who pay intents. */
export const PAYER = makeKey(9);

/** A generated bridge whose transfers to the wallet are in the blocks, so that a verifier finds them. */
class FindableBridge extends GeneratedBridge {
  /** For the next block of the partner chain. */
  readonly transfers: Transaction[] = [];

  computeIntentFee(amount: bigint): bigint {
    return this.computeFee('XCN', amount);
  }

  protected override payIntent(): void {
    const amount = this.withdrawable('XCN');
    if (amount === null) return this.deposit('XCN');
    this.supply.XCN -= amount;
    const [fee, sender, recipient] = [this.computeIntentFee(amount), PAYER.address, this.account()];
    const terms = { sender, recipient, amount, deadline: BigInt(this.time + DAY), nonceHash: this.takeHash() };
    const id = computeIntentId(this.settings.partner, terms);
    const transfer = makeTransaction({ to: this.roles.partner.relayer, value: amount }, this.takeNonce(), PAYER);
    this.transfers.push(transfer);
    const place = { transactionHash: transfer.hash, asset: 'XCN', callIndex: 0 };
    const transferId = computeRefundId({ chainId: this.settings.partner.chainId, ...place });
    this.at(this.later(10, 100), () =>
      this.send('partner', [[this.settings.partner.contract, 'Swept', { transferId, amount }]]),
    );
    this.at(this.later(320, 1_200), () => {
      this.intents.set(id, { ...terms, transferId, isSigned: true, signature: PAYER.sign(id) });
      this.release('XCN', { id, recipient, amount: amount - fee, fee });
    });
  }

  protected override refundTokens(asset: Asset): void {
    const [amount, sender, wallet] = [this.makeAmount(asset), this.account(), this.roles.partner.relayer];
    const [transactionHash, logIndex] = [this.takeHash(), this.logs.partner.length];
    const topics = [TRANSFER, ...[sender, wallet].map((account): Hex => `0x${account.slice(2).padStart(64, '0')}`)];
    const data = numberToHex(amount, { size: 32 });
    const [address, place] = [this.token('partner', asset), { blockNumber: 0n, transactionHash, logIndex }];
    this.logs.partner.push({ address, topics, data, ...place });
    const { chainId } = this.settings.partner;
    const refundId = computeRefundId({ chainId, transactionHash, asset, callIndex: logIndex });
    this.at(this.later(300, 2_000), () =>
      this.send('partner', this.paid('partner', 'Refunded', asset, { refundId, recipient: sender, amount })),
    );
  }

  private takeNonce(): number {
    this.transactions += 1;
    return this.transactions;
  }
}

/** A bridge on two chains that grow with the time. */
export class SimulatedBridge {
  /** Unix seconds. */
  time = GENESIS - PERIODS.partner;
  readonly chains: Readonly<Record<Side, SimulatedChain<State>>>;
  /** All events so far that begin or deliver something. */
  readonly events: Event[] = [];
  private readonly generated: FindableBridge;
  private readonly blocks: Generator<GeneratedBlock, void, undefined>;
  private next: (GeneratedBlock & { readonly transactions: readonly Transaction[] }) | null;
  private sentTransactions = 0;
  /** The nonces of the last sent pauses. */
  private readonly sentAt: Partial<Record<Side, bigint>> = {};
  /** By hash. */
  private readonly transactions = new Map<Hex, unknown>();

  constructor(options: ConstructorParameters<typeof GeneratedBridge>[0]) {
    this.generated = new FindableBridge(options);
    this.blocks = this.generated.blocks();
    this.next = this.readNext();
    const open = (side: Side) =>
      new SimulatedChain(GENERATED_SETTINGS[side].chainId, NOTHING, (state: State, logs) => change(state, side, logs));
    this.chains = { ethereum: open('ethereum'), partner: open('partner') };
  }

  /** The released intents by id. */
  get intents(): Map<Hex, ExplainedIntent> {
    return this.generated.intents;
  }

  computeIntentFee(amount: bigint): bigint {
    return this.generated.computeIntentFee(amount);
  }

  /** Goes on to the time of the next block of the partner chain. */
  step(reorganise: (side: Side) => number): void {
    this.time += PERIODS.partner;
    while (this.next !== null && this.next.timestamp <= this.time) {
      const { side, logs, transactions } = this.next;
      this.chains[side].add({ logs: side === 'ethereum' ? this.sign(logs) : logs, transactions });
      for (const { name, args } of decodeLogs(logs)) this.events.push({ side, name, args });
      this.next = this.readNext();
    }
    for (const side of SIDES) {
      if (this.time % PERIODS[side] !== 0) continue;
      const depth = this.time < START + 60 ? 0 : reorganise(side);
      if (depth === 0) this.chains[side].mine(this.time);
      else this.chains[side].reorganise(depth, this.time);
    }
  }

  /** Puts a transaction into the next block of a chain. Its events are the bridge contract's, if not of another one. */
  send(
    side: Side,
    events: readonly (readonly [name: string, args: EventArguments, contract?: Address | undefined])[],
  ): void {
    this.sentTransactions += 1;
    const place = { blockNumber: 0n, transactionHash: keccak256(integer(this.sentTransactions)), logIndex: 0 };
    const logs = events.map(([name, args, address = GENERATED_SETTINGS[side].contract]) => ({
      address,
      ...encodeEvent(name, args),
      ...place,
    }));
    this.chains[side].append(this.sign(logs));
  }

  /** The answers of a chain's nodes. */
  answers(side: Side): Answers<State> {
    return {
      call: ({ state }, to, data) => {
        const { functionName, args } = decodeFunctionData({ abi: VIEWS, data });
        if (functionName === 'pauses')
          return encodeFunctionResult({
            abi: VIEWS,
            functionName,
            result: [state.pausedUntil, state.areDeliveriesPaused, state.pauses],
          });
        const result = state.amounts[lower(functionName === 'locked' ? args[0] : to)] ?? 0n;
        return encodeFunctionResult({ abi: VIEWS, functionName, result });
      },
      transaction: (hash) => this.transactions.get(hash) ?? null,
      transactionCount: ({ state }) => state.sent,
      // Only the pauser sends transactions to these nodes.
      send: (raw) => {
        const { sent, pauses } = this.chains[side].head.state;
        const paused = {
          beginningsPausedUntil: BigInt(this.time + 7 * DAY),
          deliveriesPaused: true,
          count: pauses + 1n,
        };
        const { sentinel } = GENERATED_SETTINGS[side];
        if (this.sentAt[side] !== sent)
          this.send(side, [
            ['PausedBy', { by: PAUSER }, sentinel],
            ['PauseSet', { ...paused, by: sentinel }],
          ]);
        this.sentAt[side] = sent;
        return keccak256(raw);
      },
    };
  }

  private readNext(): typeof this.next {
    const next = this.blocks.next().value;
    if (next === undefined) return null;
    return { ...next, transactions: next.side === 'partner' ? this.generated.transfers.splice(0) : [] };
  }

  /** Gives transactions that release something their data and the hash of it. */
  private sign(logs: Logs): Logs {
    const hashes = new Map<Hex, Hex>();
    for (const { name, args, log } of decodeLogs(logs)) {
      if (name !== 'Release' || hashes.has(log.transactionHash)) continue;
      const intent = this.intents.get(args['withdrawId'] as Hex);
      const input = intent === undefined ? '0x' : encodeRelease(intent, args['fee'] as bigint);
      const { hash, json } = makeTransaction({ to: log.address, input }, this.transactions.size, PAYER);
      this.transactions.set(hash, json);
      hashes.set(log.transactionHash, hash);
    }
    return logs.map((log) => ({ ...log, transactionHash: hashes.get(log.transactionHash) ?? log.transactionHash }));
  }
}

function encodeRelease(terms: ExplainedIntent, fee: bigint): Hex {
  const { transferId, isSigned: _, ...intent } = terms;
  const args = [intent, transferId, fee, NO_ATTESTATION] as const;
  return encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseIntent', args });
}

function decodeLogs(logs: Logs): readonly { name: string; args: EventArguments; log: PlacedLog }[] {
  return logs
    .filter(({ topics }) => SELECTORS.has(topics[0] ?? zeroHash))
    .map((log) => {
      const { eventName, args } = decodeEventLog({ abi: EVENTS, topics: log.topics as [Hex], data: log.data });
      return { name: eventName, args: args as EventArguments, log };
    });
}

const lower = (address: unknown) => String(address).toLowerCase() as Address;

/** The state after a block. */
function change(before: State, side: Side, logs: Logs): State {
  let state = before;
  const add = (token: unknown, amount: bigint) => {
    const address = lower(token);
    state = { ...state, amounts: { ...state.amounts, [address]: (state.amounts[address] ?? 0n) + amount } };
  };
  for (const { name, args } of decodeLogs(logs)) {
    const amount = (args['amount'] ?? 0n) as bigint;
    if (name === 'Deposit' || name === 'Mint') add(args['token'], amount);
    if (name === 'Release') add(args['token'], -amount - (args['fee'] as bigint));
    if (name === 'Retired') add(args['token'], -amount);
    if (name === 'ToppedUp' && side === 'ethereum') add(zeroAddress, amount);
    if (name === 'PausedBy' && args['by'] === PAUSER) state = { ...state, sent: state.sent + 1n };
    if (name === 'PauseSet')
      state = {
        ...state,
        pausedUntil: args['beginningsPausedUntil'] as bigint,
        areDeliveriesPaused: args['deliveriesPaused'] === true,
        pauses: args['count'] as bigint,
      };
  }
  return state;
}
