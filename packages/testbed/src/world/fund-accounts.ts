import { testUsdcAbi, testXcnAbi } from '@causeway/protocol/abi';
import type { AddressBook } from '@causeway/protocol';
import { parseUnits, type Address } from 'viem';
import type { ChainClients } from './chain-clients.js';
import type { TestAccounts } from './test-accounts.js';

/** Who gets money, and where. */
export interface Funding {
  readonly book: AddressBook;
  readonly accounts: TestAccounts;
  readonly ethereum: ChainClients;
}

/** Gives the users tokens on Ethereum. Coins everybody has from the beginning: from the node there, from the genesis on the partner chain. */
export async function fundAccounts({ book, accounts, ethereum }: Funding): Promise<void> {
  const { alice, bob } = accounts;
  const wallet = ethereum.walletOf(accounts.deployer);
  const first = await ethereum.client.getTransactionCount({ address: accounts.deployer.address });
  const tokens = [
    { address: book.ethereum.tokens.USDC, abi: testUsdcAbi, amount: parseUnits('1000000', 6) },
    { address: book.ethereum.tokens.XCN, abi: testXcnAbi, amount: parseUnits('10000000', 18) },
  ];
  const mints = [alice, bob].flatMap(({ address }) => tokens.map((token) => ({ ...token, to: address })));
  const hashes = await Promise.all(
    mints.map(({ address, abi, to, amount }, index) =>
      wallet.writeContract({
        address,
        abi,
        functionName: 'mint',
        args: [to satisfies Address, amount],
        nonce: first + index,
      }),
    ),
  );
  for (const hash of hashes) await ethereum.client.waitForTransactionReceipt({ hash });
}
