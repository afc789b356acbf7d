import { beforeAll, describe, expect, it } from '@jest/globals';
import { getToken } from '@causeway/protocol';
import { testUsdcAbi } from '@causeway/protocol/abi';
import { connectBridge, deposit, fromProvider, RecordError, resume, type Bridge } from '@causeway/sdk';
import { SmartAccounts } from '@causeway/test-kit';
import { parseEther, type PrivateKeyAccount } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { TestEnvironment } from '../temporary-environment.js';
import { followToEnd, pickRecipient } from './flows.js';
import { Life, SharedStore } from './mortal-client.js';
import { SmartWallet } from './smart-wallet.js';
import { fundUsers } from './users.js';
import { WindowWallet } from './window-wallet.js';

const USDC = 10n ** 6n;
/** Interference of wallets, other tabs and the chain with a transfer. */
export function describeGuards(getEnvironment: () => TestEnvironment): void {
  describe('a transfer', () => {
    let user: PrivateKeyAccount;
    let bridge: Bridge;

    beforeAll(async () => {
      const [first] = await fundUsers(getEnvironment(), [
        { ethereum: { ETH: parseEther('1'), USDC: 10n * USDC }, partner: {} },
      ]);
      if (first === undefined) throw new Error('No user');
      user = first.account;
      bridge = connectBridge({ apiUrl: getEnvironment().stack.apiUrl });
    });

    const openWindow = (side: 'ethereum' | 'partner' = 'ethereum') => {
      const { chainId, rpcUrl } = getEnvironment().stack[side];
      const window = new WindowWallet(user, chainId, rpcUrl);
      return { window, wallet: fromProvider(window, user.address) };
    };
    const makeTerms = (amount = '0.1') => ({ asset: 'ETH', amount, recipient: pickRecipient() });
    const open = (store: SharedStore) => ({ store: store.open(new Life()), pollMs: 100 });
    const countSent = async () => getEnvironment().ethereum.client.getTransactionCount({ address: user.address });

    it('in two tabs is refused in the second one, and later an older copy of its record', async () => {
      const { window, wallet } = openWindow();
      const store = new SharedStore();
      window.approvesAll = false;
      const running = deposit(bridge, wallet, makeTerms(), open(store));
      await window.opened();
      const [record] = store.list();
      await expect(resume(bridge, wallet, record, open(store))).rejects.toMatchObject({
        name: 'RecordError',
        field: 'id',
      });
      expect(window.windows).toHaveLength(1);
      await window.approveAll();
      await running;
      const older = resume(bridge, wallet, record, open(store));
      await expect(older).rejects.toMatchObject({ name: 'RecordError', field: 'revision' });
    });

    it('of a wallet on another chain is refused before any signature', async () => {
      const { window, wallet } = openWindow('partner');
      const refused = deposit(bridge, wallet, makeTerms());
      await expect(refused).rejects.toMatchObject({ name: 'WrongNetworkError', expectedChainId: 31_337 });
      expect(window.asked).toBe(0);
    });

    it('of a wallet that switches chain or account midway is refused before the next request', async () => {
      const before = await countSent();
      const { window, wallet } = openWindow();
      window.onApproved = () => {
        window.chainId = 1;
      };
      const recipient = pickRecipient();
      const moved = deposit(bridge, wallet, { asset: 'USDC', amount: '5', recipient });
      await expect(moved).rejects.toMatchObject({
        name: 'WrongNetworkError',
        expectedChainId: 31_337,
        actualChainId: 1,
      });

      const other = openWindow();
      other.window.signer = privateKeyToAccount(generatePrivateKey());
      const signedByOther = deposit(bridge, other.wallet, { asset: 'USDC', amount: '5', recipient });
      await expect(signedByOther).rejects.toMatchObject({ name: 'WrongAccountError', field: 'sender' });
      expect(await countSent()).toBe(before);
    });
  });
}

/** A deposit of a smart account is one batch, which is never sent twice. */
export async function depositInBatch(environment: TestEnvironment): Promise<void> {
  const { ethereum, stack, book } = environment;
  const [user] = await fundUsers(environment, [{ ethereum: { ETH: parseEther('1'), USDC: 50n * USDC }, partner: {} }]);
  if (user === undefined) throw new Error('No user');
  const key = ethereum.getWallet({ address: user.account.address, privateKey: user.privateKey });
  const { address, factory, factoryData } = await new SmartAccounts(ethereum.client, key).ownedBy(user.account);
  const args = [address, 50n * USDC] as const;
  const usdc = getToken(book, 'ethereum', 'USDC');
  const hashes = [
    await key.sendTransaction({ to: factory, data: factoryData }),
    await key.writeContract({ address: usdc, abi: testUsdcAbi, functionName: 'transfer', args }),
  ];
  await Promise.all(hashes.map(async (hash) => ethereum.client.waitForTransactionReceipt({ hash })));

  const bridge = connectBridge({ apiUrl: stack.apiUrl });
  const smart = new SmartWallet(address, user.account, stack.ethereum.chainId, stack.ethereum.rpcUrl);
  const store = new SharedStore();
  const wallet = fromProvider(smart, address);
  const terms = { asset: 'USDC', amount: '20', recipient: pickRecipient() };
  // The page dies once the wallet has the batch, before the record says that it was mined.
  const life = new Life(3, 'before');
  const dying = deposit(bridge, wallet, terms, { store: store.open(life), pollMs: 100 });
  await expect(dying).rejects.toBeInstanceOf(RecordError);
  const sent = await resume(bridge, wallet, store.list()[0], { store: store.open(new Life()), pollMs: 100 });
  if (sent.state !== 'SENT') throw new Error(sent.state);
  await expect(followToEnd(bridge, sent)).resolves.toMatchObject({ status: 'COMPLETED', sender: address });
  expect(smart.sent).toBe(1);
}
