import type { Anvil } from '@causeway/test-kit';
import {
  createPublicClient,
  createWalletClient,
  getAddress,
  maxUint256,
  numberToHex,
  pad,
  parseEther,
  zeroAddress,
  type Abi,
  type Address,
  type PrivateKeyAccount,
} from 'viem';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi, testXcnAbi } from '../../generated/abi.js';
import { deployBridge } from '../../deploy/index.js';
import {
  deployer,
  guardian as user,
  localConfig,
  relayer,
  startChains,
  treasury as nextRelayer,
  type TestChains,
} from './fixtures.js';

/**
 * The highest gas of a call, with all safety features. A prototype with packed slots, bitmap replay protection, a
 * one-slot bucket, a transient guard, fee accrual and balance checks measured 52,767 / 32,719 / 57,055 / 50,754 /
 * 56,237 / 48,605.
 */
export const GAS_GOALS: Readonly<Record<string, number>> = {
  deposit: 54_000,
  depositNative: 33_500,
  release: 58_000,
  releaseNative: 52_000,
  mint: 57_000,
  burn: 50_000,
};

interface Call {
  readonly address: Address;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args: readonly unknown[];
  readonly value?: bigint;
}

function clientsOf({ chain, transport }: Anvil) {
  const client = createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 });
  const walletOf = (account: PrivateKeyAccount) => createWalletClient({ chain, transport, account });
  const gasOf = async (account: PrivateKeyAccount, call: Call): Promise<number> => {
    const hash = await walletOf(account).writeContract({ ...call, gas: 1_000_000n });
    const receipt = await client.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`${call.functionName} reverted`);
    return Number(receipt.gasUsed);
  };
  return { client, walletOf, gasOf };
}

/**
 * The gas of whole transactions, 21,000 and calldata included, on a bridge as it is deployed with all its safety
 * features: a second user, when every counter that the call touches was used before, and tokens that are OpenZeppelin's
 * ERC-20. Both ends run in the same kind of EVM.
 *
 * @returns gas by call.
 */
export async function measureGas(): Promise<Record<string, number>> {
  const { anvils, stop } = await startChains();
  // A delivery after a full refill of its outflow limit costs less. So no time passes, on a busy machine either.
  await Promise.all(anvils.map(async ({ test }) => test.setBlockTimestampInterval({ interval: 0 })));
  try {
    return await measureOn(anvils);
  } finally {
    await stop();
  }
}

async function measureOn(anvils: TestChains['anvils']): Promise<Record<string, number>> {
  const [ethereum, partner] = [clientsOf(anvils[0]), clientsOf(anvils[1])];
  const book = await deployBridge({
    config: localConfig(),
    ethereum: { client: ethereum.client, wallet: ethereum.walletOf(deployer) },
    partner: { client: partner.client, wallet: partner.walletOf(deployer) },
  });
  const lock = (functionName: string, args: readonly unknown[], value = 0n): Call => ({
    address: book.ethereum.bridgeLock,
    abi: bridgeLockAbi,
    functionName,
    args,
    value,
  });
  const mint = (functionName: string, args: readonly unknown[], value = 0n): Call => ({
    address: book.partner.bridgeMint,
    abi: bridgeMintAbi,
    functionName,
    args,
    value,
  });
  const { USDC, XCN } = book.ethereum.tokens;
  const { ETH } = book.partner.tokens;
  const rows: Record<string, number> = {};
  for (const account of [deployer, user]) {
    for (const address of [USDC, XCN]) {
      const token = { address, abi: testXcnAbi };
      await ethereum.gasOf(account, { ...token, functionName: 'mint', args: [account.address, parseEther('1000000')] });
      await ethereum.gasOf(account, {
        ...token,
        functionName: 'approve',
        args: [book.ethereum.bridgeLock, maxUint256],
      });
    }
    // For the second account every counter is already nonzero.
    const to = account.address;
    rows['deposit'] = await ethereum.gasOf(account, lock('deposit', [XCN, parseEther('100'), to]));
    rows['deposit (TestUSDC)'] = await ethereum.gasOf(account, lock('deposit', [USDC, 10n ** 10n, to]));
    rows['depositNative'] = await ethereum.gasOf(account, lock('depositNative', [to], parseEther('10')));
  }
  let number = 0n;
  const newcomer = () => getAddress(pad(numberToHex(0xfeed_0000_0000n + number), { size: 20 }));
  for (const [recipient, note] of [
    [newcomer, ', warming up'],
    [() => user.address, ', warming up'],
    [() => user.address, ''],
    [newcomer, ', to a new account'],
  ] as const) {
    const release = (token: Address, amount: bigint, fee: bigint) =>
      ethereum.gasOf(relayer, lock('release', [number++, token, recipient(), amount, fee]));
    rows[`release${note}`] = await release(XCN, parseEther('9'), parseEther('1'));
    rows[`release (TestUSDC)${note}`] = await release(USDC, 95_000_000n, 5_000_000n);
    const native = [number++, recipient(), parseEther('0.5'), parseEther('0.003')];
    rows[`releaseNative${note}`] = await ethereum.gasOf(relayer, lock('releaseNative', native));
    const intent = [pad(numberToHex(0xabcdef0123456789n * ++number), { size: 32 }), recipient(), parseEther('9'), 1n];
    rows[`releaseIntent${note}`] = await ethereum.gasOf(relayer, lock('releaseIntent', intent));
    const bridged = [number++, ETH, recipient(), parseEther('1')];
    rows[`mint${note}`] = await partner.gasOf(relayer, mint('mint', bridged));
    const coins = [number++, zeroAddress, recipient(), parseEther('1')];
    rows[`mint (native XCN)${note}`] = await partner.gasOf(relayer, mint('mint', coins, parseEther('1')));
  }
  await partner.gasOf(relayer, mint('mint', [number++, ETH, deployer.address, parseEther('2')]));
  for (const account of [deployer, user]) {
    const burn = [ETH, parseEther('0.5'), account.address, parseEther('0.1')];
    rows['burn'] = await partner.gasOf(account, mint('burn', burn));
  }
  rows['retire'] = await partner.gasOf(relayer, mint('retire', [ETH, parseEther('0.5')]));
  rows['collectFees (ETH)'] = await ethereum.gasOf(user, lock('collectFees', [zeroAddress]));
  rows['transfer of a bridged token'] = await partner.gasOf(deployer, {
    address: ETH,
    abi: bridgedTokenAbi,
    functionName: 'transfer',
    args: [user.address, 1n],
  });
  rows['transfer of TestXCN'] = await ethereum.gasOf(deployer, {
    address: XCN,
    abi: testXcnAbi,
    functionName: 'transfer',
    args: [user.address, 1n],
  });
  // Afterwards a burn checks also whether its caller is a former relayer wallet.
  await partner.gasOf(deployer, mint('setRelayer', [nextRelayer.address]));
  for (const account of [deployer, user]) {
    const burn = [ETH, parseEther('0.5'), account.address, parseEther('0.1')];
    rows['burn, after a rotation'] = await partner.gasOf(account, mint('burn', burn));
  }
  return Object.fromEntries(Object.entries(rows).filter(([name]) => !name.endsWith('warming up')));
}
