import { writeFileSync } from 'node:fs';
import { deployBridge, writeAddressBook } from '@causeway/contracts/deploy';
import type { AddressBook } from '@causeway/protocol';
import { waitUntil } from '@causeway/test-kit/test-run';
import { parseEther } from 'viem';
import { testAccounts } from './accounts.js';
import type { ChainClients, EthereumClients } from './clients.js';
import { deployTestTokens, fundFloat, fundUsers, localDeployment, partnerGenesis } from './initial-state.js';
import type { EnvironmentOptions } from './options.js';

/** Writes the genesis of the partner chain. */
export function writeGenesis(file: string, { floatXcn }: EnvironmentOptions): void {
  writeFileSync(file, JSON.stringify(partnerGenesis(testAccounts(), parseEther(`${floatXcn}`))));
}

/** Waits until both chains answer. */
export async function untilChainsAnswer(...chains: readonly ChainClients[]): Promise<void> {
  for (const { client } of chains)
    await waitUntil('the chains answer', async () => (await client.getBlockNumber()) >= 0n);
}

/**
 * Deploys the contracts on new chains, funds the users and the float, and writes the address book. Meanwhile Ethereum
 * makes a block for each transaction.
 *
 * @param onStep receives a sentence about each step.
 */
export async function deployAndFund(
  ethereum: EthereumClients,
  partner: ChainClients,
  options: EnvironmentOptions,
  addressBookFile: string,
  onStep: (step: string) => void,
): Promise<AddressBook> {
  const accounts = testAccounts();
  await ethereum.test.setAutomine(true);
  onStep('deploying the contracts');
  const assets = await deployTestTokens(options.assets, accounts, ethereum);
  const book = await deployBridge({
    config: localDeployment(accounts, options.adminDelaySeconds, assets, options),
    ethereum: { wallet: ethereum.getWallet(accounts.deployer), client: ethereum.client },
    partner: { wallet: partner.getWallet(accounts.deployer), client: partner.client },
  });
  writeAddressBook(addressBookFile, book);
  onStep('funding the accounts');
  await fundUsers(book, accounts, ethereum);
  await fundFloat(book, accounts, partner, parseEther(`${options.floatXcn}`));
  return book;
}
