import { PartnerChain, type GenesisInput } from '@causeway/partner-chain';
import { EmbeddedBackend, type EmbeddedLogger } from './embedded-backend.js';
import { developmentGenesis } from './genesis/development-genesis.js';
import { readGenesis } from './genesis/read-genesis.js';

/** How the embedded chain is set up. */
export interface EmbeddedOptions {
  readonly chainId: number;
  /** Where the chain is kept. */
  readonly dataDirectory: string;
  /** The genesis file; none for a development chain. */
  readonly genesisFile: string | null;
  /** Milliseconds from block to block; 0 makes a block when a transaction waits. */
  readonly blockIntervalMs: number;
  /** Gas for each account that a transaction brings into being, over its ordinary gas; the specification's when it is left out. */
  readonly lazyAccountGas?: bigint;
  /** Confirmations after which a block is final (the bridge's); six when it is left out. */
  readonly confirmations?: number;
  /** What web3_clientVersion answers. */
  readonly clientVersion: string;
  /** Hears of faults of the chain's own. */
  readonly logger?: EmbeddedLogger;
}

/** The chain id on which money without worth is given away to well-known accounts (spec "Chain facts": testnet). */
const DEVELOPMENT_CHAIN_ID = 8901;

/**
 * Opens the partner chain in this process.
 *
 * @throws Error when the genesis file is wrong, missing for a chain other than the testnet, or not what the directory's chain began with.
 */
export async function createEmbeddedBackend(options: EmbeddedOptions): Promise<EmbeddedBackend> {
  const { chainId, dataDirectory, blockIntervalMs, lazyAccountGas, confirmations, clientVersion, logger } = options;
  const genesis = genesisOf(options);
  const chain = await PartnerChain.open({
    chainId,
    dataDirectory,
    blockIntervalMs,
    lazyAccountGas,
    confirmations,
    genesis,
  });
  return new EmbeddedBackend(chain, clientVersion, logger ?? { warn: () => undefined, error: () => undefined });
}

function genesisOf({ chainId, genesisFile }: EmbeddedOptions): GenesisInput {
  if (genesisFile !== null) return readGenesis(genesisFile);
  if (chainId === DEVELOPMENT_CHAIN_ID) return developmentGenesis;
  throw new Error(
    `GENESIS: chain ${chainId} needs a genesis file; only the testnet ${DEVELOPMENT_CHAIN_ID} begins without one`,
  );
}
