import { definePartnerChain } from '@causeway/protocol';
import { waitUntil } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  http,
  parseEther,
  webSocket,
  type Address,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { testUsdcAbi } from '@causeway/contracts/abi';
import { testUsdcBytecode } from '@causeway/contracts/bytecode';
import { type ClientTarget, makeRecipient, sendUntilDelivered } from './target.js';

const ZERO = '0x0000000000000000000000000000000000000000';
const TIMEOUT_MS = 60_000;

/** viem, used as in its guides. */
export function viemSuite(getTarget: () => ClientTarget): void {
  describe('viem', () => {
    let clients: ReturnType<typeof createClients>;
    let token: Address;
    let recipient: Address;

    beforeAll(() => {
      clients = createClients(getTarget());
      recipient = makeRecipient('viem', String(process.pid));
    });
    afterAll(async () => {
      const socket = await clients?.live.transport.getRpcClient();
      socket?.close();
    });

    it('finds the chain', async () => {
      const { reader } = clients;
      expect(await reader.getChainId()).toBe(getTarget().chainId);
      expect(await reader.getBlockNumber()).toBeGreaterThanOrEqual(0n);
      const block = await reader.getBlock();
      expect(await reader.getBlock({ blockHash: block.hash })).toMatchObject({ number: block.number });
      expect(await reader.getBlock({ blockTag: 'earliest' })).toMatchObject({ number: 0n });
    });

    it(
      'sends money',
      async () => {
        const { reader, wallet } = clients;
        const hash = await wallet.sendTransaction({ to: recipient, value: parseEther('0.5') });
        const receipt = await reader.waitForTransactionReceipt({ hash });
        expect(receipt.status).toBe('success');
        expect(await reader.getBalance({ address: recipient })).toBe(parseEther('0.5'));
        const transaction = await reader.getTransaction({ hash });
        expect(transaction).toMatchObject({ value: parseEther('0.5'), blockHash: receipt.blockHash });
      },
      TIMEOUT_MS,
    );

    it('estimates gas and fees', async () => {
      const { reader, wallet } = clients;
      const gas = await reader.estimateGas({ account: wallet.account, to: recipient, value: parseEther('0.1') });
      expect(gas).toBeGreaterThanOrEqual(21_000n);
      const fees = await reader.estimateFeesPerGas();
      const [base, tip] = [(await reader.getBlock()).baseFeePerGas, await reader.estimateMaxPriorityFeePerGas()];
      expect(fees).toEqual({ maxFeePerGas: (12n * (base ?? 0n)) / 10n + tip, maxPriorityFeePerGas: tip });
      const history = await reader.getFeeHistory({ blockCount: 2, rewardPercentiles: [25, 75] });
      expect(history.baseFeePerGas.length).toBeGreaterThanOrEqual(2);
    });

    it(
      'deploys a contract, writes to it and reads it',
      async () => {
        const { reader, wallet } = clients;
        const deployment = await wallet.deployContract({ abi: testUsdcAbi, bytecode: testUsdcBytecode });
        const { contractAddress } = await reader.waitForTransactionReceipt({ hash: deployment });
        expect(contractAddress).toBeTruthy();
        token = contractAddress ?? ZERO;
        const mint = {
          address: token,
          abi: testUsdcAbi,
          functionName: 'mint',
          args: [wallet.account.address, 1_000n],
        } as const;
        await reader.waitForTransactionReceipt({ hash: await wallet.writeContract(mint) });
        const { request } = await reader.simulateContract({
          account: wallet.account,
          address: token,
          abi: testUsdcAbi,
          functionName: 'transfer',
          args: [recipient, 300n],
        });
        await reader.waitForTransactionReceipt({ hash: await wallet.writeContract(request) });
        const reads = [wallet.account.address, recipient].map((owner) =>
          reader.readContract({ address: token, abi: testUsdcAbi, functionName: 'balanceOf', args: [owner] }),
        );
        expect(await Promise.all(reads)).toEqual([700n, 300n]);
        expect((await reader.getCode({ address: token }))?.length).toBeGreaterThan(1_000);
        expect(await reader.getStorageAt({ address: token, slot: '0x2' })).toMatch(/^0x/);
      },
      TIMEOUT_MS,
    );

    it(
      'decodes why a call was reverted',
      async () => {
        const { reader, wallet } = clients;
        const blocking = await wallet.writeContract({
          address: token,
          abi: testUsdcAbi,
          functionName: 'setBlocklisted',
          args: [recipient, true],
        });
        await reader.waitForTransactionReceipt({ hash: blocking });
        const refused: unknown = await reader
          .simulateContract({
            account: wallet.account,
            address: token,
            abi: testUsdcAbi,
            functionName: 'transfer',
            args: [recipient, 1n],
          })
          .catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(BaseError);
        const reason = (refused as BaseError).walk((error) => error instanceof ContractFunctionRevertedError);
        expect((reason as ContractFunctionRevertedError).data?.errorName).toBe('Blocklisted');
      },
      TIMEOUT_MS,
    );

    it('finds logs', async () => {
      const { reader, wallet } = clients;
      const events = await reader.getContractEvents({
        address: token,
        abi: testUsdcAbi,
        eventName: 'Transfer',
        args: { to: recipient },
        fromBlock: 0n,
      });
      expect(events.map(({ args }) => args)).toEqual([{ from: wallet.account.address, to: recipient, value: 300n }]);
    });

    it(
      'polls filters',
      async () => {
        const { reader, wallet } = clients;
        const blocks = await reader.createBlockFilter();
        const transfers = await reader.createContractEventFilter({
          address: token,
          abi: testUsdcAbi,
          eventName: 'Transfer',
        });
        const hash = await wallet.writeContract({
          address: token,
          abi: testUsdcAbi,
          functionName: 'mint',
          args: [wallet.account.address, 5n],
        });
        const { blockHash } = await reader.waitForTransactionReceipt({ hash });
        expect(await reader.getFilterChanges({ filter: blocks })).toContain(blockHash);
        const changes = await reader.getFilterChanges({ filter: transfers });
        expect(changes.map(({ transactionHash }) => transactionHash)).toEqual([hash]);
        expect(await reader.getFilterChanges({ filter: transfers })).toEqual([]);
        expect(await reader.uninstallFilter({ filter: transfers })).toBe(true);
        expect(await reader.uninstallFilter({ filter: blocks })).toBe(true);
      },
      TIMEOUT_MS,
    );

    it(
      'receives blocks, events and pending transactions over WebSocket',
      async () => {
        const { live, wallet, reader } = clients;
        const numbers: bigint[] = [];
        const events: string[] = [];
        const pending: string[] = [];
        const unwatch = [
          live.watchBlocks({ onBlock: ({ number }) => numbers.push(number) }),
          live.watchContractEvent({
            address: token,
            abi: testUsdcAbi,
            onLogs: (logs) => events.push(...logs.map(({ transactionHash }) => transactionHash)),
          }),
          live.watchPendingTransactions({ onTransactions: (hashes) => pending.push(...hashes) }),
        ];
        // Watching starts with a request that no caller awaits.
        let minedAt = 0n;
        const mint = async () => {
          const contract = { address: token, abi: testUsdcAbi, functionName: 'mint' } as const;
          const hash = await wallet.writeContract({ ...contract, args: [wallet.account.address, 6n] });
          minedAt = (await reader.waitForTransactionReceipt({ hash })).blockNumber;
          return hash;
        };
        const told = await sendUntilDelivered(mint, (hash) =>
          [pending, events].every((hashes) => hashes.includes(hash)),
        );
        expect(events).toContain(told);
        await waitUntil('there is a block', () => numbers.find((number) => number >= minedAt));
        for (const stop of unwatch) stop();
      },
      TIMEOUT_MS,
    );

    it('sends many calls in one batch', async () => {
      const { batching } = clients;
      const balances = Array.from({ length: 40 }, (_, index) =>
        batching.getBalance({ address: makeRecipient('unused', String(index)) }),
      );
      expect(await Promise.all(balances)).toEqual(Array.from({ length: 40 }, () => 0n));
    });
  });
}

function createClients({ httpUrl, wsUrl, privateKey, chainId }: ClientTarget) {
  const terms = { environment: 'testnet', rpcUrl: httpUrl, webSocketUrl: wsUrl } as const;
  const chain = { ...definePartnerChain(terms), id: chainId };
  return {
    reader: createPublicClient({ chain, transport: http() }),
    batching: createPublicClient({ chain, transport: http(undefined, { batch: true }) }),
    live: createPublicClient({ chain, transport: webSocket() }),
    wallet: createWalletClient({ chain, transport: http(), account: privateKeyToAccount(privateKey) }),
  };
}
