import { createConfig } from 'ponder';

// The nodes, the range and the database come from the benchmark.
const { RPC_URLS = '', LAST_BLOCK = '', CONTRACT = '', DATABASE_URL = '' } = process.env;

export const depositEvent = {
  type: 'event',
  name: 'Deposit',
  inputs: [
    { name: 'depositId', type: 'bytes32', indexed: true },
    { name: 'token', type: 'address', indexed: true },
    { name: 'sender', type: 'address', indexed: true },
    { name: 'recipient', type: 'address', indexed: false },
    { name: 'amount', type: 'uint256', indexed: false },
    { name: 'nonce', type: 'uint256', indexed: false },
  ],
} as const;

export default createConfig({
  database: { kind: 'postgres', connectionString: DATABASE_URL },
  chains: { ethereum: { id: 1, rpc: RPC_URLS.split(',') } },
  contracts: {
    BridgeLock: {
      abi: [depositEvent],
      chain: 'ethereum',
      address: CONTRACT as `0x${string}`,
      startBlock: 1,
      endBlock: Number(LAST_BLOCK),
    },
  },
});
