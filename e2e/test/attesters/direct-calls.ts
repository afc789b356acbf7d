import { getToken } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { encodeFunctionData, type Abi, type Address } from 'viem';
import { COIN } from './consent.js';
import { NO_HASH, type Scene } from './forgery.js';
import type { Call, Side } from './transactions.js';

/** A call of the relayer key that needs no attester. */
export interface DirectCall {
  readonly name: string;
  readonly side: Side;
  readonly call: Call;
}

const GAS = 1_000_000n;

/** All other functions of contracts and bridged tokens that a thief of the relayer key can try. */
export function listDirectCalls({ environment, mallory, others }: Scene): readonly DirectCall[] {
  const { book, accounts } = environment;
  const thief = mallory.address;
  const alice = accounts.alice.address;
  const usdc = { ethereum: getToken(book, 'ethereum', 'USDC'), partner: getToken(book, 'partner', 'USDC') } as const;
  const xcn = getToken(book, 'ethereum', 'XCN');
  const [lock, mint] = [book.ethereum.bridgeLock, book.partner.bridgeMint];
  const on = (side: Side, to: Address, abi: Abi, functionName: string, ...args: readonly unknown[]): DirectCall => ({
    name: `${functionName} of ${to} on ${side}`,
    side,
    call: { to, gas: GAS, data: encodeFunctionData({ abi, functionName, args }) },
  });
  const ofLock = (name: string, ...args: readonly unknown[]) => on('ethereum', lock, bridgeLockAbi, name, ...args);
  const ofMint = (name: string, ...args: readonly unknown[]) => on('partner', mint, bridgeMintAbi, name, ...args);
  const ofToken = (name: string, ...args: readonly unknown[]) =>
    on('partner', usdc.partner, bridgedTokenAbi, name, ...args);
  const owed = { mint: others.MINT.payment, release: others.RELEASE.payment } as const;
  const { depositNonce } = owed.mint;
  const { withdrawNonce, fee } = owed.release;
  return [
    // The single functions of a bridge without attesters, with forged and with owed payments.
    ofMint('mint', 30_001n, usdc.partner, thief, 10n ** 9n),
    ofMint('mint', depositNonce, owed.mint.token, owed.mint.recipient, owed.mint.amount),
    ofMint('mint', 30_002n, COIN, thief, 10n ** 20n),
    ofLock('release', 30_001n, usdc.ethereum, thief, 10n ** 9n, 0n),
    ofLock('release', 30_002n, xcn, thief, 10n ** 20n, 0n),
    ofLock('release', withdrawNonce, usdc.ethereum, owed.release.recipient, owed.release.amount, fee),
    ofLock('releaseNative', 30_003n, thief, 10n ** 17n, 0n),
    // Tokens of others, and tokens burned to the wallet.
    ofMint('retireOf', alice, usdc.partner, 1n),
    ofToken('transfer', thief, 10n ** 6n),
    ofToken('transferFrom', alice, thief, 10n ** 6n),
    ofToken('mint', thief, 10n ** 9n),
    ofToken('retire', alice, 10n ** 6n),
    ofToken('bridgeTransfer', alice, thief, 10n ** 6n),
    ofToken('bridgeRefund', accounts.relayer.address, thief, 10n ** 6n),
    ofToken('nameSuccessor', thief),
    ofMint('burn', usdc.partner, 60n * 10n ** 6n, thief, 2n ** 96n),
    // Functions of other offices.
    ...[ofLock, ofMint].flatMap((of) => [
      of('setRelayer', thief),
      of('setStandby', thief),
      of('activateStandby'),
      of('setAttesters', [thief], 1n),
      of('setAttesters', [], 0n),
      of('transferOwnership', thief),
      of('acceptOwnership'),
      of('reopen', 0n, 1n, 0n),
      of('reopenIds', [NO_HASH], [0n]),
      of('redirectCredit', COIN, alice, thief),
      of('claim', COIN, thief),
      of('handOver', COIN, 1n),
      of('announceSuccessor', thief),
      of('terminateSuccession'),
      of('setPolicyManager', thief),
      of('setOutflowLimit', COIN, 10n ** 30n, 60n),
    ]),
    ofLock('setTreasury', thief),
    ofLock('claim', xcn, thief),
    ofMint('setFeePolicy', COIN, { bps: 0, minFee: 1n, minAmount: 2n }),
  ];
}
