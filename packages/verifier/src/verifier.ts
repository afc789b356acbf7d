import { bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import type { Header } from './blocks/header.js';
import { DeliveryHistory } from './nodes/delivery-history.js';
import { getSelectors } from './blocks/events.js';
import { ConfirmationFinality, type Finality, type Side } from './nodes/finality.js';
import type { Node } from './nodes/node.js';
import { QuorumReader, type OnDissent } from './nodes/quorum-reader.js';
import type { TransferRecord } from './record.js';
import type { VerifierSettings } from './settings.js';

/** Everything that a judgement uses. Create it once, since it caches the histories of the contracts. */
export interface Verifier {
  readonly settings: VerifierSettings;
  readonly readers: Readonly<Record<Side, QuorumReader>>;
  readonly finality: Finality;
  /** The deliveries on each chain, with the events that explain them. */
  readonly histories: Readonly<Record<Side, Pick<DeliveryHistory, 'at'>>>;
  readonly record: TransferRecord;
  /** Unix seconds. Used only for when to ask again, and for the part of a hold by our own clock. */
  readonly now: () => number;
}

/** The nodes and the finality of a chain. */
export interface ChainOptions {
  readonly nodes: readonly Node[];
  /** More than half of the nodes. */
  readonly quorum: number;
  readonly confirmations: number;
  readonly timeoutMs?: number;
  /** Called for each node without whose answer a question was decided. */
  readonly onDissent?: OnDissent;
}

export interface VerifierOptions {
  readonly settings: VerifierSettings;
  readonly ethereum: ChainOptions;
  readonly partner: ChainOptions;
  readonly record: TransferRecord;
  /** Default: by confirmations. */
  readonly finality?: Finality;
  readonly now?: () => number;
}

/** The events that a history reads. */
const EVENTS = {
  ethereum: getSelectors(bridgeLockAbi, ['Deposit', 'Release']),
  partner: getSelectors(bridgeMintAbi, ['Mint', 'Refunded', 'RelayerChanged', 'Withdraw']),
} as const;

/**
 * Creates the verifier of a deployment. It sends no request before the first judgement.
 *
 * @throws RangeError for a quorum that two different answers could reach.
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const { settings, ethereum, partner, record } = options;
  const readers = {
    ethereum: new QuorumReader({ chain: 'ethereum', ...ethereum }),
    partner: new QuorumReader({ chain: 'partner', ...partner }),
  };
  const confirmations = { ethereum: ethereum.confirmations, partner: partner.confirmations };
  const makeHistory = (side: Side) => {
    const { contract: address, deployedAtBlock: fromBlock } = settings[side];
    return new DeliveryHistory(readers[side], { address, topics: EVENTS[side], fromBlock });
  };
  return {
    settings,
    readers,
    finality: options.finality ?? new ConfirmationFinality(readers, confirmations),
    histories: { ethereum: makeHistory('ethereum'), partner: makeHistory('partner') },
    record,
    now: options.now ?? (() => Math.floor(Date.now() / 1_000)),
  };
}

/** The newest final block of each chain, at which a judgement reads all states. */
export type FinalHeaders = Readonly<Record<Side, Header>>;

/**
 * Reads the pair of final blocks, Ethereum's last: the deposit of every mint up to the partner block was final before
 * that mint, so its collateral is included.
 */
export async function readFinalHeaders({ readers, finality }: Verifier): Promise<FinalHeaders> {
  const partner = await readers.partner.headerAt(await finality.finalBlock('partner'));
  const ethereum = await readers.ethereum.headerAt(await finality.finalBlock('ethereum'));
  return { ethereum, partner };
}
