import type { Side } from '@causeway/sdk';
import type { WalletProvider } from '@causeway/ui/wallet';
import { formatWei } from '@causeway/ui/format';
import { createWalletClient, hexToBigInt, http, numberToHex, type Hex, type TypedDataDefinition } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Settings, TestWalletSettings } from '../settings/settings.js';
import { WALLET } from '../words/wallet.js';
import { makeChain, findSide } from './chains.js';
import { confirm } from './confirmation.js';

const WORDS = WALLET.test;

function fail(code: number, message: string): never {
  throw Object.assign(new Error(message), { code });
}

/** Creates a wallet of a key of the settings, for local stacks. Each signature needs a click in the page. */
export function createTestWallet({ name, privateKey }: TestWalletSettings, settings: Settings): WalletProvider {
  const account = privateKeyToAccount(privateKey);
  const listeners = new Map<string, Set<(value: unknown) => void>>();
  const chainKey = `causeway:test-wallet:${name}`;
  // A reload keeps the chain, as wallets do.
  let side: Side = sessionStorage.getItem(chainKey) === 'partner' ? 'partner' : 'ethereum';
  const connect = () => {
    const chain = makeChain(settings, side);
    return createWalletClient({ account, chain, transport: http() });
  };

  const switchTo = (chainId: number) => {
    const next = findSide(settings, chainId);
    if (next === null) fail(4902, 'Unrecognized chain ID.');
    side = next;
    sessionStorage.setItem(chainKey, side);
    for (const listener of listeners.get('chainChanged') ?? []) listener(numberToHex(chainId));
    return null;
  };

  const ask = async (what: 'sign' | 'send', facts: readonly (readonly [string, string])[]) => {
    const network = [WORDS.network, settings[side].name] as const;
    if (!(await confirm({ wallet: name, what, facts: [network, ...facts] }))) fail(4001, 'User rejected the request.');
  };

  const send = async ({ to, data, value = '0x0', gas }: { to: Hex; data?: Hex; value?: Hex; gas?: Hex }) => {
    await ask('send', [
      [WORDS.to, to],
      [WORDS.value, formatWei(hexToBigInt(value).toString(), side)],
      [WORDS.data, data ?? '0x'],
    ]);
    const fields = { ...(data === undefined ? {} : { data }), ...(gas === undefined ? {} : { gas: hexToBigInt(gas) }) };
    return connect().sendTransaction({ to, value: hexToBigInt(value), ...fields });
  };

  const sign = async (text: string) => {
    const data = JSON.parse(text) as TypedDataDefinition;
    await ask('sign', [
      [WORDS.what, data.primaryType],
      [WORDS.contract, String(data.domain?.verifyingContract)],
      ...Object.entries(data.message).map(([field, value]) => [field, String(value)] as const),
    ]);
    return account.signTypedData(data);
  };

  const request = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return [account.address];
      case 'eth_chainId':
        return numberToHex(settings.addressBook[side].chainId);
      case 'wallet_switchEthereumChain':
      case 'wallet_addEthereumChain':
        return switchTo(Number((params[0] as { chainId: Hex }).chainId));
      case 'eth_sendTransaction':
        return send(params[0] as Parameters<typeof send>[0]);
      case 'eth_signTypedData_v4':
        return sign(params[1] as string);
      default:
        if (method.startsWith('wallet_')) fail(-32_601, `${method} is not available`);
        return connect().request({ method, params } as never);
    }
  };

  return {
    request: async ({ method, params = [] }) => request(method, params),
    on: (event, listener) => void listeners.set(event, (listeners.get(event) ?? new Set()).add(listener)),
    removeListener: (event, listener) => void listeners.get(event)?.delete(listener),
  };
}
