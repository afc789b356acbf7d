import { describe, expect, it } from '@jest/globals';
import type { WalletProvider } from '@causeway/ui/wallet';
import { WALLET } from '../words/wallet.js';
import type { WalletOffer } from './offers.js';
import { WalletSession } from './session.js';

const ACCOUNT = `0x${'A1'.repeat(20)}`;

/** A wallet with one account, and a session that remembers it. */
function start({ accounts = [ACCOUNT] as readonly string[], remembered = '', fails = null as object | null } = {}) {
  const listeners = new Map<string, (value: unknown) => void>();
  const calls: string[] = [];
  const provider: WalletProvider = {
    request: async ({ method }) => {
      calls.push(method);
      if (fails !== null) throw fails;
      return method === 'eth_chainId' ? '0x1' : accounts;
    },
    on: (event, listener) => void listeners.set(event, listener),
    removeListener: (event) => void listeners.delete(event),
  };
  const offer: WalletOffer = { id: 'own', name: 'Own', icon: null, open: async () => provider };
  const memory = new Map<string, string>(remembered === '' ? [] : [['causeway:wallet', remembered]]);
  const session = new WalletSession(() => ({
    getItem: (key) => memory.get(key) ?? null,
    setItem: (key, value) => void memory.set(key, value),
    removeItem: (key) => void memory.delete(key),
  }));
  const announce = (event: string, value: unknown) => listeners.get(event)?.(value);
  return { session, offer, calls, memory, announce };
}

describe('a wallet', () => {
  it('is connected by a request for its accounts, and remembered', async () => {
    const { session, offer, calls, memory } = start();
    await session.connect(offer);
    expect(session.read()).toMatchObject({ status: 'connected', account: ACCOUNT.toLowerCase(), chainId: 1 });
    expect(calls).toEqual(['eth_requestAccounts', 'eth_chainId']);
    expect([...memory.values()]).toEqual(['own']);
    session.disconnect();
    expect(session.read().status).toBe('disconnected');
    expect(memory.size).toBe(0);
  });

  it('is reconnected silently if it was connected before, and else left alone', async () => {
    const { session, offer, calls } = start({ remembered: 'own' });
    await session.restore([]);
    await session.restore([offer]);
    expect(calls).toEqual(['eth_accounts', 'eth_chainId']);
    const other = start();
    await other.session.restore([other.offer]);
    expect(other.calls).toEqual([]);
  });

  it('is followed to another account and chain', async () => {
    const { session, offer, announce } = start();
    await session.connect(offer);
    const other = `0x${'b2'.repeat(20)}`;
    announce('accountsChanged', [other]);
    announce('chainChanged', '0x22c5');
    expect(session.read()).toMatchObject({ account: other, chainId: 8_901 });
  });

  it('that is locked says so, and connects when it is unlocked', async () => {
    const { session, offer, announce } = start({ remembered: 'own', accounts: [] });
    await session.restore([offer]);
    expect(session.read()).toMatchObject({ status: 'disconnected', problem: WALLET.locked('Own') });
    announce('accountsChanged', [ACCOUNT]);
    expect(session.read()).toMatchObject({ status: 'connected', chainId: 1, problem: null });
  });

  it.each([
    [{ code: 4001 }, WALLET.refused('Own')],
    [{ code: -32_002 }, WALLET.busy('Own')],
    [new Error('broken'), WALLET.failed('Own', 'broken')],
  ])('that fails with %p has its sentence', async (fails, problem) => {
    const { session, offer } = start({ fails });
    await session.connect(offer);
    expect(session.read()).toMatchObject({ status: 'disconnected', problem });
  });

  it('that answers after the user stopped waiting stays disconnected', async () => {
    const { session, offer, memory } = start();
    const connecting = session.connect(offer);
    session.disconnect();
    await connecting;
    expect(session.read().status).toBe('disconnected');
    expect(memory.size).toBe(0);
  });
});
