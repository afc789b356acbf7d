import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  type PrivateKeyAccount,
  type TestClient,
} from 'viem';
import type { DeployTarget } from '../deploy/index.js';
import type { Anvil } from '@causeway/test-kit';
import { deployer } from './test-keys.js';

/** Clients of a development node: one that reads, one that sends, one that cheats. */
export function targetOf(
  { chain, transport }: Anvil,
  account: PrivateKeyAccount = deployer,
): DeployTarget & { readonly cheat: TestClient } {
  return {
    client: createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 }),
    wallet: createWalletClient({ chain, transport, account }),
    cheat: createTestClient({ chain, transport, mode: 'anvil' }),
  };
}
