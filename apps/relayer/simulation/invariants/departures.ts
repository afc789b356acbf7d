import { lower } from '@causeway/chain';
import type { Asset, Side } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import {
  decodeFunctionData,
  encodeEventTopics,
  erc20Abi,
  parseEventLogs,
  slice,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { BOOK } from '../bridge.ts';
import type { Mined } from '../chain/blocks.ts';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import { ViolationError } from '../outcome.ts';
import type { Simulation } from '../environment/simulation.ts';

/** A refund that a chain shows. Amount in atomic units. */
export interface ShownRefund {
  readonly side: Side;
  readonly asset: Asset;
  readonly recipient: Address;
  readonly amount: bigint;
  /** Null for coin on Ethereum, which can be paid without an id. */
  readonly id: Hex | null;
}

/** A delivery on Ethereum. */
export interface Release {
  readonly id: Hex;
  readonly token: Address;
  readonly recipient: Address;
  readonly amount: bigint;
}

/** The coin that the wallet spent on a chain, in wei. */
export interface Spent {
  readonly fees: bigint;
  readonly refunds: bigint;
  /** Mints and sweeps. */
  readonly others: bigint;
}

/** Bytes of `transfer(address,uint256)`, before the refund's id. */
const TRANSFER_BYTES = 68;
const { relayer, ethereum, partner } = BOOK;
const [SWEPT] = encodeEventTopics({ abi: bridgeMintAbi, eventName: 'Swept' });

/** The refunds on the current branches. On Ethereum: every direct payment of the wallet. */
export function shownRefunds({ bridge }: Simulation): ShownRefund[] {
  const onEthereum = sentBy(bridge.ethereum).flatMap((mined): ShownRefund[] => {
    const { to, value, input } = mined.transaction;
    if (!mined.succeeded || to === null || to === relayer || to === ethereum.bridgeLock) return [];
    if (value > 0n) return [{ side: 'ethereum', asset: 'ETH', recipient: to, amount: value, id: null }];
    const asset = (['USDC', 'XCN'] as const).find((each) => ethereum.tokens[each] === to);
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: input });
    if (asset === undefined || functionName !== 'transfer')
      throw new ViolationError('the wallet only delivers and refunds', `${functionName} of ${to}`);
    return [{ side: 'ethereum', asset, recipient: lower(args[0]), amount: args[1], id: slice(input, TRANSFER_BYTES) }];
  });
  const onPartner = all(bridge.partner)
    .flatMap(mintEvents)
    .flatMap((event): ShownRefund[] => {
      if (event.eventName !== 'Refunded') return [];
      const { refundId: id, token, recipient, amount } = event.args;
      const asset = (['ETH', 'USDC'] as const).find((each) => partner.tokens[each] === lower(token)) ?? 'XCN';
      return [{ side: 'partner', asset, recipient: lower(recipient), amount, id }];
    });
  return [...onEthereum, ...onPartner];
}

/** The deliveries on Ethereum. */
export function readReleases({ bridge }: Simulation): Release[] {
  const logs = all(bridge.ethereum).flatMap((mined) => filterLogs(mined, ethereum.bridgeLock));
  return parseEventLogs({ abi: bridgeLockAbi, eventName: 'Release', logs: logs as never }).map(({ args }) => {
    const { withdrawId: id, token, recipient, amount } = args;
    return { id, token: lower(token), recipient: lower(recipient), amount };
  });
}

/** Whether the coin of a transfer is in the float, up to a block of the partner chain. */
export function isSwept({ bridge }: Simulation, transferId: Hex, lastBlock: number): boolean {
  const mined = Array.from({ length: lastBlock }, (_, index) => bridge.partner.blockAt(index + 1).mined).flat();
  return mined.some(({ logs }) => logs.some(({ topics }) => topics[0] === SWEPT && topics[1] === transferId));
}

/** The coin that the wallet spent, as far as the events of its transactions explain their value. */
export function sumSpent({ bridge }: Simulation, side: Side): Spent {
  const { coinUnit } = bridge[side].input;
  let [fees, refunds, others] = [0n, 0n, 0n];
  for (const mined of sentBy(bridge[side])) {
    const { gasUsed, effectiveGasPrice, succeeded, transaction } = mined;
    fees += ((gasUsed * effectiveGasPrice + coinUnit - 1n) / coinUnit) * coinUnit;
    const { to, value } = transaction;
    if (!succeeded || value === 0n || to === relayer) continue;
    if (side === 'ethereum') refunds += value;
    else
      for (const { eventName, args } of mintEvents(mined)) {
        if (eventName === 'Refunded' && args.token === zeroAddress) refunds += args.amount;
        if (eventName === 'Swept') others += args.amount;
        if (eventName === 'Mint' && args.token === zeroAddress) others += args.amount;
      }
  }
  return { fees, refunds, others };
}

function all(chain: SimulatedChain): Mined[] {
  return Array.from({ length: chain.head.number }, (_, index) => chain.blockAt(index + 1).mined).flat();
}

function sentBy(chain: SimulatedChain): Mined[] {
  return all(chain).filter(({ transaction }) => transaction.from === relayer);
}

function mintEvents(mined: Mined) {
  return parseEventLogs({ abi: bridgeMintAbi, logs: filterLogs(mined, partner.bridgeMint) as never });
}

function filterLogs({ logs }: Mined, contract: Address) {
  return logs.filter(({ address }) => address === contract);
}
