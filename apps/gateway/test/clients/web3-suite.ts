import { waitUntil } from '@causeway/test-kit';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Web3, type Contract } from 'web3';
import { testUsdcAbi } from '@causeway/contracts/abi';
import { testUsdcBytecode } from '@causeway/contracts/bytecode';
import { type ClientTarget, makeRecipient, sendUntilDelivered } from './target.js';

const TIMEOUT_MS = 60_000;

/** web3.js 4, used as in its documentation. */
export function web3Suite(getTarget: () => ClientTarget): void {
  describe('web3.js', () => {
    let web3: Web3;
    let from: string;
    let token: Contract<typeof testUsdcAbi>;
    let recipient: string;

    beforeAll(() => {
      const { httpUrl, privateKey } = getTarget();
      web3 = new Web3(httpUrl);
      from = web3.eth.accounts.wallet.add(privateKey)[0]?.address ?? '';
      recipient = makeRecipient('web3', String(process.pid));
    });

    it('finds the chain', async () => {
      expect(Number(await web3.eth.getChainId())).toBe(getTarget().chainId);
      expect(Number(await web3.eth.net.getId())).toBeGreaterThan(0);
      expect(await web3.eth.isSyncing()).toBe(false);
      expect(await web3.eth.getNodeInfo()).toBeTruthy();
      const block = await web3.eth.getBlock('latest', true);
      expect((await web3.eth.getBlock(block.number)).hash).toBe(block.hash);
    });

    it(
      'sends money',
      async () => {
        const value = web3.utils.toWei('0.125', 'ether');
        const payment = { from, to: recipient, value };
        // As the chain's documentation requires: otherwise web3.js assumes 21,000 gas for every payment, even one that
        // creates an account.
        const gas = await web3.eth.estimateGas(payment);
        const receipt = await web3.eth.sendTransaction({ ...payment, gas });
        expect(receipt.status).toBe(1n);
        expect(await web3.eth.getBalance(recipient)).toBe(BigInt(value));
        const transaction = await web3.eth.getTransaction(receipt.transactionHash);
        expect(transaction?.blockHash).toBe(receipt.blockHash);
      },
      TIMEOUT_MS,
    );

    it('estimates gas and fees', async () => {
      expect(
        await web3.eth.estimateGas({ from, to: recipient, value: web3.utils.toWei('0.1', 'ether') }),
      ).toBeGreaterThanOrEqual(21_000n);
      expect(await web3.eth.getGasPrice()).toBeGreaterThan(0n);
      expect((await web3.eth.getFeeHistory(2, 'latest', [50])).baseFeePerGas.length).toBeGreaterThanOrEqual(2);
    });

    it(
      'deploys a contract, writes to it and reads it',
      async () => {
        const contract = new web3.eth.Contract(testUsdcAbi);
        token = await contract.deploy({ data: testUsdcBytecode }).send({ from });
        await token.methods.mint(from, 1_000).send({ from });
        const receipt = await token.methods.transfer(recipient, 250).send({ from });
        expect(receipt.events?.['Transfer']?.returnValues).toMatchObject({ to: recipient, value: 250n });
        expect(await token.methods.balanceOf(recipient).call()).toBe(250n);
      },
      TIMEOUT_MS,
    );

    it(
      'decodes why a call was reverted',
      async () => {
        await token.methods.setBlocklisted(recipient, true).send({ from });
        const refused: unknown = await token.methods
          .transfer(recipient, 1)
          .call({ from })
          .catch((error: unknown) => error);
        expect(
          JSON.stringify(refused, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
        ).toContain('Blocklisted');
      },
      TIMEOUT_MS,
    );

    it('finds logs', async () => {
      const events = await token.getPastEvents('Transfer', { filter: { to: recipient }, fromBlock: 0 });
      expect(events).toHaveLength(1);
      expect(await web3.eth.getPastLogs({ address: token.options.address ?? '', fromBlock: '0x0' })).toHaveLength(2);
    });

    it(
      'receives blocks, events, pending transactions and the sync state over WebSocket',
      async () => {
        const live = new Web3(getTarget().wsUrl);
        try {
          const watched = new live.eth.Contract(testUsdcAbi, token.options.address ?? '');
          const seen = new Map<unknown, unknown>();
          const numbers: bigint[] = [];
          const pending: string[] = [];
          watched.events.Transfer().on('data', ({ transactionHash, returnValues }) => {
            seen.set(transactionHash, returnValues['to']);
          });
          const heads = await live.eth.subscribe('newBlockHeaders');
          heads.on('data', (header) => void numbers.push(BigInt(header.number ?? 0)));
          const waiting = await live.eth.subscribe('pendingTransactions');
          waiting.on('data', (hash) => void pending.push(hash));
          const syncing = await live.eth.subscribe('syncing');
          let minedAt = 0n;
          const mint = async () => {
            const { transactionHash, blockNumber } = await token.methods.mint(from, 8).send({ from });
            minedAt = blockNumber;
            return transactionHash;
          };
          const told = await sendUntilDelivered(mint, (hash) => pending.includes(hash) && seen.has(hash));
          expect(seen.get(told)).toBe(from);
          await waitUntil('there is a block', () => numbers.find((number) => number >= minedAt));
          for (const subscription of [heads, waiting, syncing]) await subscription.unsubscribe();
        } finally {
          live.currentProvider?.disconnect();
        }
      },
      TIMEOUT_MS,
    );
  });
}
