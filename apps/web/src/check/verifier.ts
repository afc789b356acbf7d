import type { AddressBook, Side } from '@causeway/sdk';
import {
  createVerifier,
  MemoryRecord,
  type AssetSettings,
  type Node,
  type Verifier,
  type VerifierSettings,
} from '@causeway/verifier';
import type { Address } from 'viem';
import type { CheckSettings } from './case.js';

const COIN: Address = '0x0000000000000000000000000000000000000000';

/** The assets of the specification. Written again here, since a check shares no code with what it checks. */
const SPECIFIED = [
  { symbol: 'ETH', decimals: 18, coinOf: 'ethereum' },
  { symbol: 'USDC', decimals: 6, coinOf: null },
  { symbol: 'XCN', decimals: 18, coinOf: 'partner' },
] as const;

/** The nodes of each chain that a reader chose. */
type Nodes = Readonly<Record<Side, readonly Node[]>>;

/** Milliseconds until a slow node counts as unavailable. */
const TIMEOUT_MS = 15_000;

/** Creates a verifier that asks these nodes, of which more than half must agree, about the host's contracts. */
export function makeVerifier(settings: CheckSettings, nodes: Nodes): Verifier {
  const toChain = (side: Side) => ({
    nodes: nodes[side],
    quorum: Math.floor(nodes[side].length / 2) + 1,
    confirmations: settings[side].confirmations,
    timeoutMs: TIMEOUT_MS,
  });
  return createVerifier({
    settings: toVerifierSettings(settings),
    ethereum: toChain('ethereum'),
    partner: toChain('partner'),
    record: new MemoryRecord(),
  });
}

/** The settings of the verifier follow from the host's file alone. */
function toVerifierSettings({ addressBook: book, holdSeconds, operators }: CheckSettings): VerifierSettings {
  const { ethereum, partner, environment } = book;
  return {
    ethereum: toContract(ethereum, ethereum.bridgeLock),
    partner: toContract(partner, partner.bridgeMint),
    assets: listAssets(book),
    holdSeconds,
    isLocal: environment === 'local',
    operators: operators ?? { addresses: [], needed: 0 },
  };
}

function toContract({ chainId, deployedAtBlock }: AddressBook[Side], contract: Address) {
  return { chainId, contract: lower(contract), deployedAtBlock: BigInt(deployedAtBlock) };
}

function listAssets(book: AddressBook): readonly AssetSettings[] {
  const further = Object.entries(book.assets ?? {}).map(([symbol, { decimals }]) => ({
    symbol,
    decimals,
    coinOf: null,
  }));
  const getToken = (side: Side, symbol: string) =>
    lower((book[side].tokens as Record<string, Address>)[symbol] ?? COIN);
  return [...SPECIFIED, ...further].map(({ symbol, decimals, coinOf }) => ({
    symbol,
    decimals,
    tokens: {
      ethereum: coinOf === 'ethereum' ? COIN : getToken('ethereum', symbol),
      partner: coinOf === 'partner' ? COIN : getToken('partner', symbol),
    },
  }));
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address;
}
