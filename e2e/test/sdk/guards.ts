import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { getToken } from '@causeway/protocol';
import { testUsdcAbi } from '@causeway/protocol/abi';
import {
  burn,
  claim,
  connectBridge,
  deposit,
  fromProvider,
  fromViem,
  RecordError,
  resume,
  withdrawXcnByIntent,
  type Bridge,
  type Wallet,
} from '@causeway/sdk';
import { SmartAccounts } from '@causeway/test-kit';
import { createWalletClient, http, parseEther, type Hex, type PrivateKeyAccount } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { TestEnvironment } from '../temporary-environment.js';
import { followToEnd, pickRecipient, readBalance } from './flows.js';
import { Life, SharedStore } from './mortal-client.js';
import { SmartWallet } from './smart-wallet.js';
import { fundUsers } from './users.js';
import { WindowWallet } from './window-wallet.js';

const USDC = 10n ** 6n;
const FUNDS = {
  ethereum: { ETH: parseEther('3'), USDC: 300n * USDC },
  partner: { USDC: 300n * USDC, XCN: parseEther('20000') },
};

/** Interference of wallets, other tabs and the chain with a transfer. */
export function describeGuards(getEnvironment: () => TestEnvironment): void {
  describe('a transfer', () => {
    let user: PrivateKeyAccount;
    let privateKey: Hex;
    let bridge: Bridge;

    beforeAll(async () => {
      const [first] = await fundUsers(getEnvironment(), [FUNDS]);
      if (first === undefined) throw new Error('No user');
      user = first.account;
      privateKey = first.privateKey;
      bridge = connectBridge({ apiUrl: getEnvironment().stack.apiUrl });
    });

    const openWindow = (side: 'ethereum' | 'partner' = 'ethereum') => {
      const { chainId, rpcUrl } = getEnvironment().stack[side];
      const window = new WindowWallet(user, chainId, rpcUrl);
      return { window, wallet: fromProvider(window, user.address) };
    };
    const connectKey = (side: 'ethereum' | 'partner'): Wallet =>
      fromViem(createWalletClient({ account: user, transport: http(getEnvironment().stack[side].rpcUrl) }));
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

    it('that its user refuses can be continued later', async () => {
      const { window, wallet } = openWindow();
      const store = new SharedStore();
      window.approvesAll = false;
      const refused = deposit(bridge, wallet, makeTerms(), open(store));
      await window.opened();
      window.windows[0]?.refuse();
      await expect(refused).rejects.toMatchObject({ name: 'WalletRefusedError' });
      window.approvesAll = true;
      await expect(resume(bridge, wallet, store.list()[0], open(store))).resolves.toMatchObject({ state: 'SENT' });
    });

    it('that its wallet speeds up is followed to the replacement transaction', async () => {
      const { window, wallet } = openWindow();
      window.replacesNext = true;
      const sent = await deposit(bridge, wallet, makeTerms(), { pollMs: 100 });
      await expect(followToEnd(bridge, sent)).resolves.toMatchObject({ originTxHash: sent.originTxHash });
    });

    it('from an imported record opens no wallet before confirmation', async () => {
      const { window, wallet } = openWindow();
      const store = new SharedStore();
      window.approvesAll = false;
      void deposit(bridge, wallet, makeTerms(), open(store)).catch(() => undefined);
      await window.opened();
      const [record] = store.list();
      window.windows[0]?.refuse();
      await new Promise((resolve) => setTimeout(resolve, 100));
      const asked = window.asked;
      const foreign = await resume(bridge, wallet, { ...record }, open(new SharedStore()));
      expect(foreign).toMatchObject({ state: 'FOREIGN', record: { amount: '100000000000000000' } });
      expect(window.asked).toBe(asked);
    });

    it('of an intent is not paid after its window has closed', async () => {
      const store = new SharedStore();
      const { window, wallet } = openWindow('partner');
      window.approvesAll = false;
      const terms = { amount: '6000', recipient: pickRecipient() };
      const running = withdrawXcnByIntent(bridge, wallet, terms, open(store));
      await window.opened();
      await window.windows[0]?.approve();
      await window.opened();
      window.windows[0]?.refuse();
      await expect(running).rejects.toMatchObject({ name: 'WalletRefusedError' });
      const [record] = store.list();
      const later = Date.now() + 40 * 60_000;
      const clock = jest.spyOn(Date, 'now').mockReturnValue(later);
      try {
        const late = resume(bridge, wallet, record, open(store));
        await expect(late).rejects.toMatchObject({ name: 'IntentUnpayableError', reason: 'EXPIRED' });
      } finally {
        clock.mockRestore();
      }
    });

    it('of a smart account is one batch that is never sent twice', async () => {
      const { ethereum, accounts, stack, book } = getEnvironment();
      const factory = new SmartAccounts(ethereum.client, ethereum.getWallet(accounts.bob));
      const { address, factory: deployer, factoryData } = await factory.ownedBy(user);
      const deployment = await ethereum.getWallet(accounts.bob).sendTransaction({ to: deployer, data: factoryData });
      await ethereum.client.waitForTransactionReceipt({ hash: deployment });
      const usdc = getToken(book, 'ethereum', 'USDC');
      const key = ethereum.getWallet({ address: user.address, privateKey });
      const args = [address, 50n * USDC] as const;
      const hash = await key.writeContract({ address: usdc, abi: testUsdcAbi, functionName: 'transfer', args });
      await ethereum.client.waitForTransactionReceipt({ hash });
      const smart = new SmartWallet(address, user, stack.ethereum.chainId, stack.ethereum.rpcUrl);
      const store = new SharedStore();
      const wallet = fromProvider(smart, address);
      const terms = { asset: 'USDC', amount: '20', recipient: pickRecipient() };
      // The page dies once the wallet has the batch, before the record says that it was mined.
      const life = new Life(3, 'before');
      const dying = deposit(bridge, wallet, terms, { store: store.open(life), pollMs: 100 });
      await expect(dying).rejects.toBeInstanceOf(RecordError);
      const sent = await resume(bridge, wallet, store.list()[0], open(store));
      if (sent.state !== 'SENT') throw new Error(sent.state);
      await expect(followToEnd(bridge, sent)).resolves.toMatchObject({ status: 'COMPLETED', sender: address });
      expect(smart.sent).toBe(1);
    });

    it('that its recipient did not accept is claimed', async () => {
      const { ethereum, accounts, book } = getEnvironment();
      const usdc = { address: getToken(book, 'ethereum', 'USDC'), abi: testUsdcAbi } as const;
      const block = async (isBlocked: boolean) => {
        const call = { ...usdc, functionName: 'setBlocklisted', args: [user.address, isBlocked] } as const;
        const hash = await ethereum.getWallet(accounts.deployer).writeContract(call);
        await ethereum.client.waitForTransactionReceipt({ hash });
      };
      await block(true);
      const terms = { asset: 'USDC', amount: '50', recipient: user.address };
      const end = await followToEnd(bridge, await burn(bridge, connectKey('partner'), terms, { pollMs: 100 }));
      expect(end.settlement).toMatchObject({ credited: true });
      await block(false);
      const recipient = pickRecipient();
      const wallet = connectKey('ethereum');
      await claim(bridge, wallet, { asset: 'USDC', side: 'ethereum', recipient }, { pollMs: 100 });
      expect(await readBalance(getEnvironment(), 'ethereum', 'USDC', recipient)).toBe(BigInt(end.outputAmount));
      const nothing = claim(bridge, wallet, { asset: 'USDC', side: 'ethereum', recipient });
      await expect(nothing).rejects.toMatchObject({ name: 'ContractError', errorName: 'NothingToPay' });
    });
  });
}
