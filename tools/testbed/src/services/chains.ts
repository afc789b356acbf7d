import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { deployBridge, writeAddressBook } from '@causeway/contracts/deploy';
import type { AddressBook } from '@causeway/protocol';
import { parseEther } from 'viem';
import { testAccounts } from '../environment/accounts.js';
import { chainClients, type ChainClients, type EthereumClients } from '../environment/clients.js';
import { fundFloat, fundUsers, localDeployment, partnerGenesis } from '../environment/initial-state.js';
import { PROFILE } from '../environment/services.js';
import { waitUntil, type ProcessGroup } from '../processes/process-group.js';
import { findUser, makeFolder } from './service-user.js';

const require = createRequire(import.meta.url);
const FLOAT = parseEther('100000000');
const ETHEREUM_BLOCK_SECONDS = 1;

/** The development node that stands for Ethereum. */
export function startEthereum(processes: ProcessGroup, directory: string, port: number): EthereumClients {
  const user = findUser('anvil');
  const state = join(makeFolder(join(directory, 'ethereum'), user), 'state.json');
  const chainId = PROFILE.ethereumChainId;
  const accounts = `${Object.keys(testAccounts()).length}`;
  const flags = ['--chain-id', `${chainId}`, '--accounts', accounts, '--no-mining', '--silent'];
  const module = require.resolve('@causeway/testbed/anvil-process');
  processes.start({ name: 'ethereum', module, args: [`${port}`, state, ...flags], env: { HOME: directory }, user });
  return chainClients('ethereum', chainId, `http://127.0.0.1:${port}`);
}

/** Writes the genesis of the partner chain, and returns the file. */
export function writeGenesis(directory: string): string {
  const file = join(directory, 'partner-genesis.json');
  writeFileSync(file, JSON.stringify(partnerGenesis(testAccounts(), FLOAT)), { mode: 0o444 });
  return file;
}

/** Deploys the contracts, funds the float and the users, and writes the address book. */
export async function deploy(
  ethereum: EthereumClients,
  partner: ChainClients,
  addressBookFile: string,
): Promise<AddressBook> {
  const accounts = testAccounts();
  for (const { client } of [ethereum, partner])
    await waitUntil('the chains answer', async () => (await client.getBlockNumber()) >= 0n);
  await ethereum.test.setAutomine(true);
  const book = await deployBridge({
    config: localDeployment(accounts, 0, {}),
    ethereum: { wallet: ethereum.getWallet(accounts.deployer), client: ethereum.client },
    partner: { wallet: partner.getWallet(accounts.deployer), client: partner.client },
  });
  writeAddressBook(addressBookFile, book);
  await fundUsers(book, accounts, ethereum);
  await fundFloat(book, accounts, partner, FLOAT);
  await ethereum.test.setIntervalMining({ interval: ETHEREUM_BLOCK_SECONDS });
  return book;
}
