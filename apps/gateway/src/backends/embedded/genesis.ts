import { readFileSync } from 'node:fs';
import { ConfigurationError } from '@causeway/service/configuration';
import { genesisSchema, PREDEPLOYS, type GenesisInput } from '@causeway/partner-chain';
import { parseEther } from 'viem';

/** The first ten accounts of the well-known development mnemonic (`test test ... junk`). */
const WELL_KNOWN_ACCOUNTS = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
  '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
  '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc',
  '0x976ea74026e726554db657fa54763abd0c3a0aa9',
  '0x14dc79964da2c08b23698b3d3cc7ca32193d9955',
  '0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f',
  '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
] as const;

const BALANCE = parseEther('1000000').toString();

/** A million XCN for each account with a public key, and the contracts that tools expect. Not for chains of value. */
export const developmentGenesis: GenesisInput = {
  alloc: {
    ...PREDEPLOYS,
    ...Object.fromEntries(WELL_KNOWN_ACCOUNTS.map((address) => [address, { balance: BALANCE }])),
  },
};

/**
 * The testnet. No other chain can start without a genesis file, because the development genesis funds accounts with
 * public keys.
 */
const DEVELOPMENT_CHAIN_ID = 8901;

/** The genesis of a new chain: a file like Ethereum's, or the development genesis. */
export function loadGenesis(chainId: number, genesisFile: string | null): GenesisInput {
  if (genesisFile !== null) return readGenesis(genesisFile);
  if (chainId === DEVELOPMENT_CHAIN_ID) return developmentGenesis;
  throw new ConfigurationError([
    `GENESIS: chain ${chainId} needs a genesis file; only the testnet ${DEVELOPMENT_CHAIN_ID} starts without one`,
  ]);
}

/** @throws ConfigurationError that names the file and the invalid field. */
function readGenesis(file: string): GenesisInput {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigurationError([`GENESIS: ${file} cannot be read as JSON: ${(error as Error).message}`], {
      cause: error,
    });
  }
  const parsed = genesisSchema.safeParse(json);
  if (parsed.success) return json as GenesisInput;
  const issue = parsed.error.issues[0];
  throw new ConfigurationError([`GENESIS: ${file}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is wrong'}`], {
    cause: parsed.error,
  });
}
