import { assetInfo, getCoin, getToken } from '@causeway/protocol';
import { concatHex, encodeFunctionData, erc20Abi, padHex, type Address, type Hex } from 'viem';
import { BOOK, send, type SimulatedBridge } from '../bridge.ts';
import { entryPointAbi, smartAccountAbi } from './accounts.ts';
import { BUNDLER, ENDING, ENTRY_POINT, FORWARDER, personAt, REGRETFUL, USERS } from './people.ts';
import type { Mistake, Way } from './schedule.ts';

interface Payment {
  readonly way: Way;
  /** The index of the person who pays. */
  readonly user: number;
  readonly amount: bigint;
  /** The data of the paying call. */
  readonly memo: Hex;
}

const wallet = BOOK.relayer;
const inWord = (address: Address): Hex => padHex(address, { size: 32 });

/** The account that the wallet sees as the payer. */
export function getSender(way: Way, user: number): Address {
  const { account, smartAccount } = personAt(user);
  return way === 'account' || way === 'bundle' ? smartAccount : account.address;
}

/** Pays the relayer wallet on the partner chain. Returns the hash of the transaction. */
export function payWallet({ partner }: SimulatedBridge, { way, user, amount, memo }: Payment): Hex {
  const { account: person, smartAccount: account } = personAt(user);
  const units = (wei: bigint) => wei / partner.input.coinUnit;
  switch (way) {
    case 'plain':
      return send(partner, person, { to: wallet, value: amount, data: memo });
    case 'forwarded':
      return send(partner, person, { to: FORWARDER, value: amount, data: concatHex([inWord(wallet), memo]) });
    case 'account':
      return send(partner, person, { to: account, data: execute(wallet, units(amount), memo) });
    case 'bundle': {
      const other = (ahead: number) => personAt((user + ahead) % USERS.length).smartAccount;
      const calls: readonly (readonly [Address, Hex])[] = [
        // The first pays the same amount and reverts; the last pays dust.
        [other(1), execute(REGRETFUL, units(amount), inWord(wallet))],
        [account, execute(wallet, units(amount), memo)],
        [other(2), execute(wallet, units(assetInfo('XCN').dust) - 1n, '0x')],
      ];
      const args = [calls.map(([of]) => of), calls.map(([, call]) => call)] as const;
      return send(partner, BUNDLER, {
        to: ENTRY_POINT,
        data: encodeFunctionData({ abi: entryPointAbi, functionName: 'handleOps', args }),
      });
    }
  }
}

/** Sends something to the relayer wallet by mistake. */
export function payByMistake(bridge: SimulatedBridge, { side, asset, way, user }: Mistake, amount: bigint): void {
  const { account: person } = personAt(user);
  const chain = bridge[side];
  if (asset === getCoin(side)) {
    const [to, data] = WAYS[way];
    return void send(chain, person, { to, value: amount, data });
  }
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [wallet, amount] });
  send(chain, person, { to: getToken(BOOK, side, asset), data });
}

/** Revokes the signatures of a person's smart account. */
export function revokeSignatures({ partner }: SimulatedBridge, user: number): void {
  const data = encodeFunctionData({ abi: smartAccountAbi, functionName: 'revokeSignatures' });
  const { account, smartAccount } = personAt(user);
  send(partner, account, { to: smartAccount, data });
}

const WAYS: Readonly<Record<Mistake['way'], readonly [Address, Hex]>> = {
  plain: [wallet, '0x'],
  forwarded: [FORWARDER, inWord(wallet)],
  ended: [ENDING, inWord(wallet)],
};

function execute(to: Address, value: bigint, data: Hex): Hex {
  return encodeFunctionData({ abi: smartAccountAbi, functionName: 'execute', args: [to, value, data] });
}
