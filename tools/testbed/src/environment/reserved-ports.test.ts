import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ReservedPorts, type ListeningPart } from './reserved-ports.js';

const PARTS: readonly ListeningPart[] = ['ethereum', 'partner', 'api', 'console'];
const reserved: ReservedPorts[] = [];

async function reserve(base?: number): Promise<ReservedPorts> {
  const ports = await ReservedPorts.reserve(base);
  reserved.push(ports);
  return ports;
}

afterEach(async () => {
  for (const ports of reserved.splice(0)) await ports.releaseAll();
});

/** Finds the first of four consecutive free ports below those that the system assigns. */
async function freeBase(): Promise<number> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const base = randomInt(10_000, 20_000);
    const ports = await ReservedPorts.reserve(base).catch(() => null);
    await ports?.releaseAll();
    if (ports !== null) return base;
  }
  throw new Error('No four consecutive ports are free');
}

describe('reserved ports', () => {
  it('differ between environments that start at the same time', async () => {
    const environments = await Promise.all([reserve(), reserve(), reserve()]);
    const ports: number[] = [];
    for (const each of environments) for (const part of PARTS) ports.push(await each.release(part));
    expect(new Set(ports).size).toBe(12);
  });

  it('are not chosen by another environment before the parts listen', async () => {
    const first = await reserve();
    const released = await Promise.all(PARTS.map((part) => first.release(part)));
    const second = await reserve();
    const others = await Promise.all(PARTS.map((part) => second.release(part)));
    // Compare only the usual ports: the system can assign any other port again.
    const usual = new Set(released.filter((port) => port < 10_000));
    expect(others.filter((port) => usual.has(port))).toEqual([]);
  });

  it('are consecutive from a base, and free as soon as they are released', async () => {
    const base = await freeBase();
    const ports = await reserve(base);
    for (const [i, part] of PARTS.entries()) {
      const port = await ports.release(part);
      expect(port).toBe(base + i);
      const server = createServer().listen({ port, host: '127.0.0.1' });
      await once(server, 'listening');
      server.close();
    }
  });

  it('are five with a faucet', async () => {
    const base = await freeBase();
    const ports = await ReservedPorts.reserve(base, true).catch(() => null);
    // Another program can use the fifth port.
    if (ports === null) return;
    reserved.push(ports);
    expect(await ports.release('faucet')).toBe(base + 4);
  });

  it('are released even if a client has connected', async () => {
    const base = await freeBase();
    const ports = await reserve(base);
    const socket = connect(base, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    expect(await ports.release('ethereum')).toBe(base);
    socket.destroy();
  });

  it('are refused when one from the base is in use, and all are released', async () => {
    const base = await freeBase();
    const inUse = createServer().listen({ port: base + 1, host: '127.0.0.1' });
    await once(inUse, 'listening');
    try {
      await expect(ReservedPorts.reserve(base)).rejects.toThrow(
        `Port ${base + 1}, for the partner chain, is in use; choose another --port-base`,
      );
    } finally {
      inUse.close();
    }
    await once(inUse, 'close');
    const ports = await reserve(base);
    expect(await ports.release('ethereum')).toBe(base);
  });
});
