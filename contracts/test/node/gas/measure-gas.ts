import type { Anvil } from '@causeway/test-kit';
import { testAccount } from '@causeway/test-kit';
import {
  concat,
  createPublicClient,
  createWalletClient,
  encodeAbiParameters,
  getAddress,
  keccak256,
  maxUint256,
  numberToHex,
  pad,
  parseAbiParameters,
  parseEther,
  zeroAddress,
  type Abi,
  type Address,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { deployBridge, type AddressBook } from '../../../deploy/index.js';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi, testXcnAbi } from '../../../generated/abi.js';
import { deployer, localConfig, newcomer as nextRelayer, owner as user, relayer, startChains } from '../fixtures.js';
import { attest, authorize, makeIntent, NO_ATTESTATION, signPermit } from './signatures.js';

/** Unix seconds of every block: later than the present, and within the 32 bits of the contracts' times. */
const FIXED_TIME = 4_000_000_000n;
/** Items of a measured batch. */
const BATCH = 10;
/** Three attesters in the order of a set. */
const ATTESTERS = [7, 8, 9]
  .map((index) => testAccount(index))
  .toSorted((one, other) => (BigInt(one.address) < BigInt(other.address) ? -1 : 1));
/** In whole coins. No time passes, so all measured calls share one capacity. */
const CAPACITY = { ETH: 10_000n, USDC: 4_000_000n, XCN: 10_000_000n } as const;

const RELEASES = parseAbiParameters('uint256, address, address, uint256, uint256');
const MINTS = parseAbiParameters('uint256, address, address, uint256');

interface Call {
  readonly address: Address;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args: readonly unknown[];
  readonly value?: bigint;
}

function makeMeter({ chain, transport }: Anvil) {
  const client = createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 });
  const makeWallet = (account: PrivateKeyAccount) => createWalletClient({ chain, transport, account });
  const readGasUsed = async (account: PrivateKeyAccount, call: Call): Promise<number> => {
    const hash = await makeWallet(account).writeContract({ ...call, gas: 14_000_000n });
    const receipt = await client.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`${call.functionName} reverted`);
    return Number(receipt.gasUsed);
  };
  return { client, wallet: makeWallet(deployer), readGasUsed };
}

type Meter = ReturnType<typeof makeMeter>;

/** A deployed bridge, and a meter for each chain. */
interface Measured {
  readonly ethereum: Meter;
  readonly partner: Meter;
  readonly book: AddressBook;
  readonly lock: (functionName: string, args: readonly unknown[], value?: bigint) => Call;
  readonly mint: (functionName: string, args: readonly unknown[], value?: bigint) => Call;
  readonly rows: Record<string, number>;
}

/**
 * The gas of whole transactions, 21,000 and calldata included, with all safety features. The calls are those of a
 * second user, so that every counter is already nonzero, and the tokens are OpenZeppelin's ERC-20. Both contracts run
 * in the same EVM. A batch pays ten accounts that hold the asset; its figures are per item.
 *
 * @returns gas by call.
 */
export async function measureGas(): Promise<Record<string, number>> {
  const { anvils, stop } = await startChains();
  for (const { test } of anvils) {
    // A delivery after a full refill of its outflow limit costs less, so no time passes, even on a busy machine.
    await test.setBlockTimestampInterval({ interval: 0 });
    // Signatures cover the time, and a zero byte in one of them costs less.
    await test.setNextBlockTimestamp({ timestamp: FIXED_TIME });
  }
  try {
    const [ethereum, partner] = [makeMeter(anvils[0]), makeMeter(anvils[1])];
    const limits = Object.fromEntries(
      Object.entries(CAPACITY).map(([asset, coins]) => {
        const capacity = (coins * 10n ** (asset === 'USDC' ? 6n : 18n)).toString();
        return [asset, { capacity, windowSeconds: 3_600, maxAmount: capacity }];
      }),
    );
    const config = localConfig({ limits, limitCeilings: limits, standby: undefined });
    const book = await deployBridge({ config, ethereum, partner });
    const lock: Measured['lock'] = (functionName, args, value = 0n) => {
      return { address: book.ethereum.bridgeLock, abi: bridgeLockAbi, functionName, args, value };
    };
    const mint: Measured['mint'] = (functionName, args, value = 0n) => {
      return { address: book.partner.bridgeMint, abi: bridgeMintAbi, functionName, args, value };
    };
    const measured: Measured = { ethereum, partner, book, lock, mint, rows: {} };
    await measureDeposits(measured);
    await measureSingleDeliveries(measured);
    await measureBatches(measured, '', []);
    await measureWithdrawals(measured);
    for (const [count, note] of [
      [1, ', one attester'],
      [3, ', three attesters'],
    ] as const) {
      const signers = ATTESTERS.slice(0, count);
      const set = [signers.map(({ address }) => address), BigInt(count)];
      await ethereum.readGasUsed(deployer, lock('setAttesters', set));
      await partner.readGasUsed(deployer, mint('setAttesters', set));
      await measureBatches(measured, note, signers);
    }
    await measureOpening(measured);
    return Object.fromEntries(Object.entries(measured.rows).filter(([name]) => !name.endsWith('warming up')));
  } finally {
    await stop();
  }
}

async function measureDeposits({ ethereum, book, lock, rows }: Measured): Promise<void> {
  const { USDC, XCN } = book.ethereum.tokens;
  // For the second account every counter is already nonzero.
  for (const account of [deployer, user]) {
    for (const address of [USDC, XCN]) {
      const token = { address, abi: testXcnAbi };
      await ethereum.readGasUsed(account, {
        ...token,
        functionName: 'mint',
        args: [account.address, parseEther('1000000')],
      });
      await ethereum.readGasUsed(account, {
        ...token,
        functionName: 'approve',
        args: [book.ethereum.bridgeLock, maxUint256],
      });
    }
    const recipient = account.address;
    const terms = { token: USDC, lock: book.ethereum.bridgeLock, recipient, amount: 10n ** 10n };
    rows['deposit'] = await ethereum.readGasUsed(account, lock('deposit', [XCN, parseEther('1000'), recipient]));
    rows['deposit (TestUSDC)'] = await ethereum.readGasUsed(account, lock('deposit', [USDC, 10n ** 10n, recipient]));
    rows['depositNative'] = await ethereum.readGasUsed(account, lock('depositNative', [recipient], parseEther('40')));
    const authorization = await authorize(ethereum.client, account, terms);
    rows['depositWithAuthorization (TestUSDC)'] = await ethereum.readGasUsed(
      relayer,
      lock('depositWithAuthorization', [USDC, terms.amount, recipient, authorization]),
    );
    const permit = await signPermit(ethereum.client, account, { ...terms, token: XCN, amount: parseEther('1000') });
    rows['depositWithPermit'] = await ethereum.readGasUsed(account, lock('depositWithPermit', permit));
  }
}

async function measureSingleDeliveries({ ethereum, partner, book, lock, mint, rows }: Measured): Promise<void> {
  const { USDC, XCN } = book.ethereum.tokens;
  const { ETH } = book.partner.tokens;
  let number = 0n;
  const newAccount = () => getAddress(pad(numberToHex(0xfeed_0000_0000n + number), { size: 20 }));
  for (const [recipient, note] of [
    [newAccount, ', warming up'],
    [() => user.address, ', warming up'],
    [() => user.address, ''],
    [newAccount, ', to a new account'],
  ] as const) {
    const release = async (token: Address, amount: bigint, fee: bigint) =>
      ethereum.readGasUsed(relayer, lock('release', [number++, token, recipient(), amount, fee]));
    rows[`release${note}`] = await release(XCN, parseEther('9'), parseEther('1'));
    rows[`release (TestUSDC)${note}`] = await release(USDC, 95_000_000n, 5_000_000n);
    const native = [number++, recipient(), parseEther('0.5'), parseEther('0.003')];
    rows[`releaseNative${note}`] = await ethereum.readGasUsed(relayer, lock('releaseNative', native));
    const transfer = pad(numberToHex(number), { size: 32 });
    const intent = [makeIntent(user.address, recipient(), ++number), transfer, parseEther('1'), NO_ATTESTATION];
    rows[`releaseIntent${note}`] = await ethereum.readGasUsed(relayer, lock('releaseIntent', intent));
    const bridged = [number++, ETH, recipient(), parseEther('1')];
    rows[`mint${note}`] = await partner.readGasUsed(relayer, mint('mint', bridged));
    const coins = [number++, zeroAddress, recipient(), parseEther('1')];
    rows[`mint (native XCN)${note}`] = await partner.readGasUsed(relayer, mint('mint', coins, parseEther('1')));
  }
  await partner.readGasUsed(deployer, mint('topUp', [], parseEther('100')));
  const fromFloat = [number++, zeroAddress, user.address, parseEther('1')];
  rows['mint (native XCN), from the float'] = await partner.readGasUsed(relayer, mint('mint', fromFloat));
  await partner.readGasUsed(relayer, mint('mint', [number++, ETH, deployer.address, parseEther('3')]));
}

/** Burns before and after a retirement and a rotation, native withdrawals, and plain transfers. */
async function measureWithdrawals({ ethereum, partner, book, lock, mint, rows }: Measured): Promise<void> {
  const { ETH } = book.partner.tokens;
  const burn = async (account: PrivateKeyAccount) =>
    partner.readGasUsed(account, mint('burn', [ETH, parseEther('0.5'), account.address, parseEther('0.1')]));
  await burn(deployer);
  rows['burn'] = await burn(user);
  for (const account of [deployer, user]) {
    const withdrawal = mint('withdrawNative', [account.address, parseEther('1000')], parseEther('5000'));
    rows['withdrawNative'] = await partner.readGasUsed(account, withdrawal);
  }
  const swept = Array.from({ length: BATCH }, (_, index) => {
    return { transferId: keccak256(numberToHex(index)), amount: parseEther('1') };
  });
  rows['sweep, one of ten'] = Math.round(
    (await partner.readGasUsed(relayer, mint('sweep', [swept], parseEther('10')))) / BATCH,
  );
  rows['retire'] = await partner.readGasUsed(relayer, mint('retire', [ETH, parseEther('0.5')]));
  await partner.readGasUsed(relayer, mint('retire', [ETH, parseEther('0.5')]));
  rows['burn, after a retirement'] = await burn(user);
  rows['collectFees (ETH)'] = await ethereum.readGasUsed(user, lock('collectFees', [zeroAddress]));
  const transfer = { functionName: 'transfer', args: [user.address, 1n] };
  const bridged = { address: ETH, abi: bridgedTokenAbi, ...transfer };
  rows['transfer of a bridged token'] = await partner.readGasUsed(deployer, bridged);
  const original = { address: book.ethereum.tokens.XCN, abi: testXcnAbi, ...transfer };
  rows['transfer of TestXCN'] = await ethereum.readGasUsed(deployer, original);
  await partner.readGasUsed(deployer, mint('setRelayer', [nextRelayer.address]));
  await burn(deployer);
  rows['burn, after a rotation'] = await burn(user);
  // A former relayer may return.
  await partner.readGasUsed(deployer, mint('setRelayer', [relayer.address]));
}

/** Batches of ten items, to ten accounts that hold the asset already. */
async function measureBatches(
  { ethereum, partner, book, lock, mint, rows }: Measured,
  note: string,
  signers: readonly PrivateKeyAccount[],
): Promise<void> {
  const { USDC, XCN } = book.ethereum.tokens;
  const { ETH } = book.partner.tokens;
  // Numbers that are not used elsewhere.
  let number = 10_000n * BigInt(signers.length + 1);
  const holders = Array.from({ length: BATCH }, (_, index) =>
    getAddress(pad(numberToHex(0xbeef_0000 + index), { size: 20 })),
  );
  const release = async (token: Address, amount: bigint, fee: bigint): Promise<number> => {
    const items = holders.map((recipient) => ({ withdrawNonce: number++, token, recipient, amount, fee }));
    const payments = items.map((item) =>
      encodeAbiParameters(RELEASES, [item.withdrawNonce, item.token, item.recipient, item.amount, item.fee]),
    );
    const consent = await attest(ethereum.client, book.ethereum.bridgeLock, signers, keccak256(concat(payments)));
    return ethereum.readGasUsed(relayer, lock('releaseMany', [items, consent]));
  };
  const deliver = async (token: Address, amount: bigint, value: bigint): Promise<number> => {
    const items = holders.map((recipient) => ({ depositNonce: number++, token, recipient, amount }));
    const payments = items.map((item) =>
      encodeAbiParameters(MINTS, [item.depositNonce, item.token, item.recipient, item.amount]),
    );
    const consent = await attest(partner.client, book.partner.bridgeMint, signers, keccak256(concat(payments)));
    return partner.readGasUsed(relayer, mint('mintMany', [items, consent], value));
  };
  // The first batch gives the accounts their first units.
  for (const suffix of [', warming up', '']) {
    const ofTen = (name: string, gas: number) => {
      rows[`${name}, one of ten${note}${suffix}`] = Math.round(gas / BATCH);
    };
    ofTen('release', await release(XCN, parseEther('9'), parseEther('1')));
    ofTen('release (TestUSDC)', await release(USDC, 95_000_000n, 5_000_000n));
    ofTen('releaseNative', await release(zeroAddress, parseEther('0.05'), parseEther('0.003')));
    ofTen('mint', await deliver(ETH, parseEther('1'), 0n));
    ofTen('mint (native XCN)', await deliver(zeroAddress, parseEther('1'), parseEther('10')));
    ofTen('mint (native XCN), from the float', await deliver(zeroAddress, parseEther('1'), 0n));
  }
}

/** All numbers of a slot, used up in one batch and reopened. */
async function measureOpening({ ethereum, lock, rows }: Measured): Promise<void> {
  await ethereum.readGasUsed(deployer, lock('setAttesters', [[], 0n]));
  const word = 1_000n;
  const items = Array.from({ length: 256 }, (_, index) => {
    return {
      withdrawNonce: word * 256n + BigInt(index),
      token: zeroAddress,
      recipient: user.address,
      amount: 1n,
      fee: 0n,
    };
  });
  await ethereum.readGasUsed(relayer, lock('releaseMany', [items, NO_ATTESTATION]));
  await ethereum.readGasUsed(deployer, lock('pause', [false, true]));
  rows['reopen, 256 numbers'] = await ethereum.readGasUsed(deployer, lock('reopen', [word, maxUint256, 0n]));
}
