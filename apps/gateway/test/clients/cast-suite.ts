import { spawn } from 'node:child_process';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { privateKeyToAddress } from 'viem/accounts';
import { testUsdcBytecode } from '@causeway/contracts/bytecode';
import { CAST, runCast } from './cast.js';
import { type ClientTarget, makeRecipient, sendUntilDelivered } from './target.js';

const TIMEOUT_MS = 60_000;
const TRANSFER = 'Transfer(address indexed,address indexed,uint256)';

interface CastReceipt {
  readonly status: string;
  readonly transactionHash: string;
  readonly contractAddress: string;
  readonly blockNumber: string;
}

/** Foundry's cast on the command line. */
export function castSuite(getTarget: () => ClientTarget): void {
  describe('cast', () => {
    let token: string;
    let recipient: string;
    let from: string;

    beforeAll(() => {
      from = privateKeyToAddress(getTarget().privateKey);
      recipient = makeRecipient('cast', String(process.pid));
    });

    const ask = (...args: string[]) => runCast(...args, '--rpc-url', getTarget().httpUrl);
    const send = async (...args: string[]) => {
      const { httpUrl, privateKey } = getTarget();
      const options = ['--rpc-url', httpUrl, '--private-key', privateKey, '--json'];
      // The arguments after --create belong to it, so the options come first.
      return JSON.parse(await runCast('send', ...options, ...args)) as CastReceipt;
    };

    it('finds the chain', async () => {
      expect(Number(await ask('chain-id'))).toBe(getTarget().chainId);
      expect(Number(await ask('block-number'))).toBeGreaterThanOrEqual(0);
      expect(Number(await ask('gas-price'))).toBeGreaterThan(0);
      expect(await ask('block', 'latest')).toContain('parentHash');
      expect(await ask('client')).not.toBe('');
    });

    it(
      'sends money',
      async () => {
        const { status, transactionHash } = await send('--value', '0.0625ether', recipient);
        expect(status).toBe('0x1');
        expect(await ask('balance', recipient, '--ether')).toBe('0.062500000000000000');
        expect(await ask('receipt', transactionHash)).toContain(transactionHash);
        expect(await ask('tx', transactionHash)).toContain(transactionHash);
      },
      TIMEOUT_MS,
    );

    it(
      'deploys a contract, writes to it and reads it',
      async () => {
        const { contractAddress } = await send('--create', testUsdcBytecode);
        token = contractAddress;
        expect((await ask('code', token)).length).toBeGreaterThan(1_000);
        expect((await send(token, 'mint(address,uint256)', from, '1000')).status).toBe('0x1');
        expect((await send(token, 'transfer(address,uint256)', recipient, '125')).status).toBe('0x1');
        expect(await ask('call', token, 'balanceOf(address)(uint256)', recipient)).toBe('125');
        expect(Number(await ask('nonce', from))).toBeGreaterThan(3);
      },
      TIMEOUT_MS,
    );

    it('estimates gas', async () => {
      expect(Number(await ask('estimate', token, 'mint(address,uint256)', recipient, '1'))).toBeGreaterThan(21_000);
    });

    it('says why a call was reverted', async () => {
      const asking = ask('call', token, 'transfer(address,uint256)', recipient, '1000000', '--from', from);
      // 0xe450d38c is ERC20InsufficientBalance.
      await expect(asking).rejects.toThrow(/reverted.*0xe450d38c/is);
    });

    it('finds logs', async () => {
      const found = JSON.parse(
        await ask('logs', '--json', '--from-block', 'earliest', '--address', token, TRANSFER),
      ) as unknown[];
      expect(found).toHaveLength(2);
    });

    it(
      'receives logs over WebSocket',
      async () => {
        const args = ['logs', '--subscribe', '--rpc-url', getTarget().wsUrl, '--address', token, TRANSFER];
        const watching = spawn(CAST, args, { stdio: ['ignore', 'pipe', 'pipe'] });
        let printed = '';
        watching.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
        watching.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
        try {
          const mint = async () => (await send(token, 'mint(address,uint256)', from, '9')).transactionHash;
          const told = await sendUntilDelivered(mint, (hash) => printed.includes(hash));
          expect(printed).toContain(told);
        } finally {
          watching.kill();
        }
      },
      TIMEOUT_MS,
    );
  });
}
