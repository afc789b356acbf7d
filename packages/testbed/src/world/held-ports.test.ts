import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HeldPorts, type ListeningPart } from './held-ports.js';

const PARTS: readonly ListeningPart[] = ['ethereum', 'partner', 'api'];
const chosen: HeldPorts[] = [];

async function choose(base?: number): Promise<HeldPorts> {
  const ports = await HeldPorts.choose(base);
  chosen.push(ports);
  return ports;
}

afterEach(async () => {
  for (const ports of chosen.splice(0)) await ports.releaseAll();
});

/** The first of three free ports, below those that the system gives out by itself. */
async function freeBase(): Promise<number> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const base = randomInt(10_000, 20_000);
    const ports = await HeldPorts.choose(base).catch(() => null);
    await ports?.releaseAll();
    if (ports !== null) return base;
  }
  throw new Error('No three ports in a row are free');
}

describe('ports', () => {
  it('of worlds that are booted at the same time differ', async () => {
    const worlds = await Promise.all([choose(), choose(), choose()]);
    const ports: number[] = [];
    for (const world of worlds) for (const part of PARTS) ports.push(await world.release(part));
    expect(new Set(ports).size).toBe(9);
  });

  it('are not chosen by another world before the parts that got them listen', async () => {
    const first = await choose();
    const released = await Promise.all(PARTS.map((part) => first.release(part)));
    const second = await choose();
    const others = await Promise.all(PARTS.map((part) => second.release(part)));
    // Where nothing else runs these are the customary ones. Any others the system gives out anew.
    const customary = new Set(released.filter((port) => port < 10_000));
    expect(others.filter((port) => customary.has(port))).toEqual([]);
  });

  it('are consecutive from a base, and free to listen at once they are released', async () => {
    const base = await freeBase();
    const ports = await choose(base);
    for (const [i, part] of PARTS.entries()) {
      const port = await ports.release(part);
      expect(port).toBe(base + i);
      const server = createServer().listen({ port, host: '127.0.0.1' });
      await once(server, 'listening');
      server.close();
    }
  });

  it('are released also when somebody has connected', async () => {
    const base = await freeBase();
    const ports = await choose(base);
    const socket = connect(base, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    expect(await ports.release('ethereum')).toBe(base);
    socket.destroy();
  });

  it('of a base that another holds are refused with the first that is taken, and none of them stays held', async () => {
    const base = await freeBase();
    const taken = createServer().listen({ port: base + 1, host: '127.0.0.1' });
    await once(taken, 'listening');
    try {
      await expect(HeldPorts.choose(base)).rejects.toThrow(`Port ${base + 1} is taken; choose another --port-base`);
    } finally {
      taken.close();
    }
    await once(taken, 'close');
    const ports = await choose(base);
    expect(await ports.release('ethereum')).toBe(base);
  });
});
