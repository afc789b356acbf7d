import { describe, expect, it } from '@jest/globals';
import { ExemptAddresses } from '../limits/exempt-addresses.js';
import { ClientMemory } from './client-memory.js';

const MOST = 1_000;
const open = (exempt: readonly string[] = []) => new ClientMemory(MOST, new ExemptAddresses(exempt));

describe('ClientMemory', () => {
  it('finds too much what a client makes it keep altogether, until it is let go', () => {
    const memory = open();
    const releases = [memory.hold('192.0.2.1', 600), memory.hold('192.0.2.1', 400)];
    expect(memory.isTooMuch('192.0.2.1')).toBe(false);
    releases.push(memory.hold('192.0.2.1', 1));
    expect(memory.isTooMuch('192.0.2.1')).toBe(true);
    expect(memory.isTooMuch('192.0.2.2')).toBe(false);
    releases[0]?.();
    expect(memory.isTooMuch('192.0.2.1')).toBe(false);
  });

  it('never finds it too much of a client without limits', () => {
    const memory = open(['192.0.2.1']);
    memory.hold('192.0.2.1', 5 * MOST);
    expect(memory.isTooMuch('192.0.2.1')).toBe(false);
  });

  it('forgets clients for whom nothing is kept, and no others, before they become many', () => {
    const memory = open();
    const kept = Array.from({ length: 1_500 }, (_, client) => `10.0.${client >> 8}.${client & 255}`);
    for (const ip of kept) memory.hold(ip, MOST + 1);
    for (let client = 0; client < 20_000; client++) memory.hold(`10.9.${client >> 8}.${client & 255}`, 1)();
    expect(memory.size).toBeLessThan(3 * kept.length);
    expect(kept.every((ip) => memory.isTooMuch(ip))).toBe(true);
  });
});
