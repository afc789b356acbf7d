import { waitUntil } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Contract,
  type ContractEventPayload,
  ContractFactory,
  JsonRpcProvider,
  NonceManager,
  parseEther,
  Wallet,
  WebSocketProvider,
} from 'ethers';
import { testUsdcAbi } from '@causeway/contracts/abi';
import { testUsdcBytecode } from '@causeway/contracts/bytecode';
import { type ClientTarget, makeRecipient, sendUntilDelivered } from './target.js';

const TIMEOUT_MS = 60_000;

/** ethers v6, used as in its documentation. */
export function ethersSuite(getTarget: () => ClientTarget): void {
  describe('ethers', () => {
    let provider: JsonRpcProvider;
    let wallet: Wallet;
    /**
     * ethers caches responses for a quarter of a second, including the nonce, so faster senders must count it
     * themselves.
     */
    let sender: NonceManager;
    let token: Contract;
    let recipient: string;

    beforeAll(() => {
      const { httpUrl, privateKey } = getTarget();
      provider = new JsonRpcProvider(httpUrl);
      wallet = new Wallet(privateKey, provider);
      sender = new NonceManager(wallet);
      recipient = makeRecipient('ethers', String(process.pid));
    });
    afterAll(() => provider?.destroy());

    const call = (name: string, ...args: unknown[]) => token.getFunction(name)(...args) as Promise<unknown>;
    const mined = async (name: string, ...args: unknown[]) => {
      const receipt = await (await token.getFunction(name).send(...args)).wait();
      return receipt as NonNullable<typeof receipt>;
    };

    it('finds the chain', async () => {
      const network = await provider.getNetwork();
      expect(Number(network.chainId)).toBe(getTarget().chainId);
      const block = await provider.getBlock('latest');
      expect((await provider.getBlock(block?.hash ?? '', true))?.number).toBe(block?.number);
      expect(await provider.getBlock(10_000_000)).toBeNull();
    });

    it(
      'sends money',
      async () => {
        const response = await sender.sendTransaction({ to: recipient, value: parseEther('0.25') });
        const receipt = await response.wait();
        expect(receipt?.status).toBe(1);
        expect(await provider.getBalance(recipient)).toBe(parseEther('0.25'));
        expect(await provider.getTransactionReceipt(response.hash)).toMatchObject({ blockHash: receipt?.blockHash });
        expect((await provider.getTransaction(response.hash))?.from).toBe(wallet.address);
      },
      TIMEOUT_MS,
    );

    it('estimates gas and fees', async () => {
      const gas = await wallet.estimateGas({ to: recipient, value: parseEther('0.1') });
      expect(gas).toBeGreaterThanOrEqual(21_000n);
      const fees = await provider.getFeeData();
      expect(fees.gasPrice).toBeGreaterThan(0n);
      expect(fees.maxFeePerGas).toBeGreaterThan(0n);
    });

    it(
      'deploys a contract, writes to it and reads it',
      async () => {
        const factory = new ContractFactory(testUsdcAbi, testUsdcBytecode, sender);
        const deployed = await (await factory.deploy()).waitForDeployment();
        token = new Contract(await deployed.getAddress(), testUsdcAbi, sender);
        expect((await mined('mint', wallet.address, 1_000)).status).toBe(1);
        expect((await mined('transfer', recipient, 400)).logs).toHaveLength(1);
        expect(await Promise.all([call('balanceOf', recipient), call('symbol')])).toEqual([400n, 'USDC']);
      },
      TIMEOUT_MS,
    );

    it(
      'decodes why a call was reverted',
      async () => {
        await mined('setBlocklisted', recipient, true);
        const refused = { code: 'CALL_EXCEPTION', revert: { name: 'Blocklisted' } };
        await expect(token.getFunction('transfer').staticCall(recipient, 1)).rejects.toMatchObject(refused);
        const sending = token.connect(wallet).getFunction('transfer').send(recipient, 1);
        await expect(sending).rejects.toMatchObject({
          code: 'CALL_EXCEPTION',
          data: expect.stringMatching(/^0x[0-9a-f]{72}$/),
        });
      },
      TIMEOUT_MS,
    );

    it('reports insufficient funds', async () => {
      const poor = new Wallet(`0x${'42'.repeat(32)}`, provider);
      const sending = poor.sendTransaction({ to: recipient, value: parseEther('1'), gasLimit: 1_000_000 });
      await expect(sending).rejects.toThrow(/insufficient funds/i);
    });

    it('finds logs', async () => {
      const events = await token.queryFilter(token.getEvent('Transfer')(null, recipient), 0, 'latest');
      expect(events).toHaveLength(1);
      expect(await provider.getLogs({ address: await token.getAddress(), fromBlock: 0 })).toHaveLength(2);
    });

    it(
      'polls for events and blocks over HTTP',
      async () => {
        const seen: string[] = [];
        const numbers: number[] = [];
        await token.on('Transfer', (_from: string, to: string) => seen.push(to));
        await provider.on('block', (number: number) => numbers.push(number));
        const { blockNumber } = await mined('mint', wallet.address, 7);
        expect(await waitUntil('there is an event', () => seen.find((to) => to === wallet.address))).toBe(
          wallet.address,
        );
        await waitUntil('there is a block', () => numbers.find((number) => number >= blockNumber));
        await token.removeAllListeners();
        await provider.removeAllListeners();
      },
      TIMEOUT_MS,
    );

    it(
      'receives blocks, events and pending transactions over WebSocket',
      async () => {
        const live = new WebSocketProvider(getTarget().wsUrl);
        try {
          expect(Number((await live.getNetwork()).chainId)).toBe(getTarget().chainId);
          const watched = new Contract(await token.getAddress(), testUsdcAbi, live);
          const seen = new Map<string, string>();
          const numbers: number[] = [];
          const pending: string[] = [];
          await watched.on('Transfer', (_from: string, to: string, _value: bigint, { log }: ContractEventPayload) =>
            seen.set(log.transactionHash, to),
          );
          await live.on('block', (number: number) => numbers.push(number));
          await live.on('pending', (hash: string) => pending.push(hash));
          let minedAt = 0;
          const mint = async () => {
            const { hash, blockNumber } = await mined('mint', wallet.address, 8);
            minedAt = blockNumber;
            return hash;
          };
          const told = await sendUntilDelivered(mint, (hash) => pending.includes(hash) && seen.has(hash));
          expect(seen.get(told)).toBe(wallet.address);
          await waitUntil('there is a block', () => numbers.find((number) => number >= minedAt));
          await watched.removeAllListeners();
          await live.removeAllListeners();
          // ethers ends the subscriptions with requests that it does not wait for.
          await new Promise((resolve) => setTimeout(resolve, 500));
        } finally {
          await live.destroy();
        }
      },
      TIMEOUT_MS,
    );
  });
}
