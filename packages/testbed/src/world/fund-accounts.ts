import { testUsdcAbi, testXcnAbi } from '@causeway/protocol/abi';
import type { AddressBook } from '@causeway/protocol';
import { parseEther, parseUnits, type Address } from 'viem';
import type { ChainClients } from './chain-clients.js';
import type { TestAccounts } from './test-accounts.js';

/** Who gets money, and where. */
export interface Funding {
  readonly book: AddressBook;
  readonly accounts: TestAccounts;
  readonly ethereum: ChainClients;
  readonly partner: ChainClients;
}

/** The relayer's float of native XCN: what it mints deposits of XCN from. */
const FLOAT = parseEther('100000000');

/** Gives the users coins and tokens on both chains, and the relayer its float. */
export async function fundAccounts({ book, accounts, ethereum, partner }: Funding): Promise<void> {
  const { alice, bob, relayer } = accounts;
  await partner.test.setBalance({ address: relayer.address, value: FLOAT });
  for (const { address } of [alice, bob]) await partner.test.setBalance({ address, value: parseEther('1000000') });
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
