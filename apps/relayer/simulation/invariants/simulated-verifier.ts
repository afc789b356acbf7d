import { createVerifier, MemoryRecord, type Node, type Side, type Verifier } from '@causeway/verifier';
import { zeroAddress, zeroHash } from 'viem';
import { BOOK } from '../bridge.ts';
import { answer } from '../chain/node-answers.ts';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import { CONFIGURATION, CONFIRMATIONS, OPERATORS } from '../environment/configuration.ts';
import type { Simulation } from '../environment/simulation.ts';

/** Makes the verifier of a simulated bridge. It asks one honest node per chain, and has an empty record. */
export function makeVerifier({ bridge, kernel }: Simulation): Verifier {
  const { ethereum, partner } = BOOK;
  const options = (side: Side) => ({
    nodes: [makeNode(side, bridge[side])],
    quorum: 1,
    confirmations: CONFIRMATIONS[side],
  });
  return createVerifier({
    settings: {
      ethereum: { chainId: ethereum.chainId, contract: ethereum.bridgeLock, deployedAtBlock: 1n },
      partner: { chainId: partner.chainId, contract: partner.bridgeMint, deployedAtBlock: 1n },
      assets: [
        { symbol: 'ETH', decimals: 18, tokens: { ethereum: zeroAddress, partner: partner.tokens.ETH } },
        { symbol: 'USDC', decimals: 6, tokens: { ethereum: ethereum.tokens.USDC, partner: partner.tokens.USDC } },
        { symbol: 'XCN', decimals: 18, tokens: { ethereum: ethereum.tokens.XCN, partner: zeroAddress } },
      ],
      holdSeconds: CONFIGURATION.holdSeconds,
      isLocal: CONFIGURATION.environment === 'local',
      operators: { addresses: OPERATORS.map(({ address }) => address), needed: OPERATORS.length },
    },
    ethereum: options('ethereum'),
    partner: options('partner'),
    record: new MemoryRecord(),
    now: () => Math.floor(kernel.now() / 1_000),
  });
}

const ANY_LOG = {
  address: zeroAddress,
  topics: [],
  data: '0x',
  logIndex: 0,
  blockNumber: 0n,
  transactionHash: zeroHash,
} as const;

/** Makes a verifier that sees the coin of every transfer in the float, so that its other rules are tested alone. */
export function withEverySweep(verifier: Verifier): Verifier {
  const { partner } = verifier.readers;
  const logs: typeof partner.logs = async (query, end) =>
    query.indexed === undefined ? partner.logs(query, end) : [ANY_LOG];
  const reader = Object.assign(Object.create(partner) as typeof partner, { logs });
  return { ...verifier, readers: { ...verifier.readers, partner: reader } };
}

/** An honest node with all states. */
function makeNode(name: string, chain: SimulatedChain): Node {
  const request = async ({ method, params }: { readonly method: string; readonly params: readonly unknown[] }) =>
    answer({ chain, head: chain.head, oldestState: 0 }, method, params);
  return { name, client: { request } };
}
