import { getToken, parseAmount } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { startTcpProxy, startWebhook, waitUntil } from '@causeway/test-kit';
import { concatHex, parseEther } from 'viem';
import type { Drill } from './drill.js';
import type { Fault } from './fault.js';

const ONE_ETH = parseAmount('ETH', '1');
const STOLEN = parseAmount('USDC', '1000');
const PATIENCE = { timeoutMs: 120_000 };
/** Far above the numbers that BridgeLock assigns. */
const INVENTED_NUMBER = 999_999n;
/** Above the alert's threshold. */
const ATTEMPTS = 21;
const MOST_ATTEMPTS = 'max (causeway_relayer_queue_attempts{reason="PAUSED"})';
const DESTROYED = parseEther('7');

/** Faults of keys, collateral, wallet and contracts. */
export const MONEY_FAULTS: readonly Fault[] = [
  {
    name: 'an operator halts the deliveries',
    alerts: ['Halted'],
    isIndependent: true,
    inject: async (drill) => {
      await drill.relayer('halt', 'deliveries', 'a drill');
      return async () => void (await drill.relayer('resume', 'deliveries'));
    },
  },
  {
    name: 'coin reaches the wallet neither by a transfer nor by a call',
    alerts: ['BalanceUnexplained'],
    isIndependent: true,
    inject: async (drill) => {
      const blockNumber = await destroyContract(drill);
      return async () => void (await drill.relayer('explain', `${blockNumber}`, 'a drill'));
    },
  },
  {
    name: 'the wallet lacks ether',
    alerts: ['GasLow'],
    inject: async ({ fleet: { ethereum, book, accounts } }) => {
      await ethereum.test.setBalance({ address: book.relayer, value: parseEther('0.2') });
      return async () => {
        const hash = await ethereum
          .getWallet(accounts.bob)
          .sendTransaction({ to: book.relayer, value: parseEther('10') });
        await ethereum.client.waitForTransactionReceipt({ hash });
      };
    },
  },
  {
    name: 'the guardian pauses the mints, and an operator retries one repeatedly',
    alerts: ['DeliveryWaits', 'ManyAttempts'],
    inject: async (drill) => {
      const { guardian, deployer } = drill.fleet.accounts;
      const mints = ['--direction', 'ethereum-to-partner', '--chain', 'partner'];
      await drill.admin(guardian, 'pause', ...mints);
      const { originTxHash } = await drill.alice.deposit('ETH', ONE_ETH, drill.alice.account.address);
      const readOperation = async () => drill.alice.status(originTxHash);
      await waitUntil('the mint waits', async () => (await readOperation())?.status === 'DELAYED');
      const id = (await readOperation())?.id ?? '';
      for (let count = 0; count < ATTEMPTS; count += 1) {
        const before = await drill.metric(MOST_ATTEMPTS);
        await drill.relayer('retry', id);
        await waitUntil('it is tried', async () => (await drill.metric(MOST_ATTEMPTS)) !== before);
      }
      return async () => void (await drill.admin(deployer, 'unpause', ...mints));
    },
  },
  {
    name: 'the collateral of a deposit is gone',
    alerts: ['MintNotBacked'],
    inject: async ({ fleet: { ethereum, book }, alice }) => {
      const address = book.ethereum.bridgeLock;
      const before = await ethereum.client.getBalance({ address });
      await ethereum.test.setIntervalMining({ interval: 0 });
      const depositing = alice.deposit('ETH', ONE_ETH, alice.account.address);
      const pool = async () => (await ethereum.test.getTxpoolStatus()).pending > 0;
      await waitUntil('the deposit waits for a block', pool);
      await ethereum.test.mine({ blocks: 1 });
      await ethereum.test.setBalance({ address, value: before });
      await ethereum.test.setIntervalMining({ interval: 1 });
      await depositing;
      return async () => ethereum.test.setBalance({ address, value: before + ONE_ETH });
    },
  },
  {
    name: 'the mirror is unavailable while a balance needs it',
    alerts: ['AccountWaits'],
    inject: async (drill) => {
      const { hostname: host, port } = new URL(drill.fleet.partnerNodeUrl);
      const proxy = await startTcpProxy({ host, port: Number(port) });
      const url = `http://bridge:${drill.fleet.gatewayKey.secret}@127.0.0.1:${proxy.port}`;
      await drill.restartRelayers({ MIRROR_URL: url });
      proxy.become('cut');
      await destroyContract(drill);
      return async () => {
        // Replaces it by the mirror again.
        await drill.restartRelayers();
        await proxy.close();
      };
    },
  },
  {
    name: 'the chat refuses notifications',
    alerts: ['NotificationsStuck'],
    inject: async (drill) => {
      const chat = await startWebhook();
      chat.isBroken = true;
      await drill.restartRelayers({ NOTIFY_CHAT_URL: chat.url });
      await drill.relayer('halt', 'deliveries', 'a drill');
      return async () => {
        chat.isBroken = false;
        await waitUntil('the chat has it', async () => chat.received.length > 0, PATIENCE);
        await drill.relayer('resume', 'deliveries');
        await drill.restartRelayers();
        await chat.stop();
      };
    },
  },
  {
    name: "a thief with the relayer's key mints",
    alerts: ['UnknownDelivery', 'Insolvent'],
    inject: async (drill) => {
      const { fleet } = drill;
      const { partner, ethereum, accounts, book } = fleet;
      const args = [INVENTED_NUMBER, getToken(book, 'partner', 'USDC'), accounts.bob.address, STOLEN] as const;
      const contract = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
      await partner.getWallet(accounts.relayer).writeContract({ ...contract, functionName: 'mint', args });
      return async () => {
        await drill.admin(accounts.guardian, 'pause', '--direction', 'both');
        await ethereum.getWallet(accounts.alice).writeContract({
          address: getToken(book, 'ethereum', 'USDC'),
          abi: bridgedTokenAbi,
          functionName: 'transfer',
          args: [book.ethereum.bridgeLock, STOLEN],
        });
        const margin =
          'min (causeway_relayer_backing_margin{asset="USDC"} and on (instance) causeway_relayer_lease_held == 1)';
        await waitUntil('USDC is backed again', async () => ((await drill.metric(margin)) ?? -1) >= 0, PATIENCE);
        await drill.relayer('resume', 'deliveries', '--accept-unknown');
        await drill.admin(accounts.deployer, 'unpause', '--direction', 'both');
      };
    },
  },
];

/** Sends coin to the wallet by a contract that self-destructs in its deployment. Returns the block. */
async function destroyContract({ fleet: { partner, accounts, book } }: Drill): Promise<bigint> {
  // PUSH20 relayer, SELFDESTRUCT.
  const data = concatHex(['0x73', book.relayer, '0xff']);
  const hash = await partner.getWallet(accounts.bob).sendTransaction({ data, value: DESTROYED });
  return (await partner.client.waitForTransactionReceipt({ hash })).blockNumber;
}
