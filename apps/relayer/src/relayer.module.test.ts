import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import { pino } from 'pino';
import type { Infrastructure } from './infrastructure.js';
import { RelayerModule } from './relayer.module.js';

describe('RelayerModule', () => {
  it('releases the lease before it closes the database', async () => {
    const calls: string[] = [];
    const nodes = { quorum: 1, usable: () => [{ client: { getTransactionCount: async () => 0 } }] };
    const connection = { close: () => undefined, onHead: () => () => undefined, ...nodes };
    const infrastructure = {
      configuration: {
        name: 'relayer',
        leaseMs: 600_000,
        pollMs: 600_000,
        addressBook: { relayer: '0x01' },
        spendingLimits: {},
        notifications: { mail: null, chat: null, pager: null },
        metrics: null,
        exchange: null,
      },
      logger: pino({ level: 'silent' }),
      signer: {},
      chains: { ethereum: { connection }, partner: { connection } },
      mirror: null,
      tracing: null,
      store: {
        assertCompatible: async () => undefined,
        reconciliations: { open: async () => null, nonces: async () => ({ known: 0n }) },
        listen: () => ({ stop: async () => undefined }),
        lease: {
          acquire: async () => ({ name: 'relayer', token: 1n }),
          assertHeld: () => undefined,
          release: async () => {
            // The database must stay open until this has ended.
            await new Promise((resolve) => setImmediate(resolve));
            calls.push('release');
          },
        },
        close: async () => calls.push('close'),
      },
    } as unknown as Infrastructure;
    const app = await NestFactory.createApplicationContext(RelayerModule.from(infrastructure), { logger: false });
    await app.close();
    expect(calls).toEqual(['release', 'close']);
  });
});
