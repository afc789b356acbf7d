import { deployBridge, deploymentConfigSchema } from '@causeway/contracts/deploy';
import { listAssets, operationId, pickAsset, type Asset } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { ETHEREUM, PARTNER, startAnvil, testAccount, type Anvil } from '@causeway/test-kit';
import { encodeFunctionData, parseEther, zeroAddress, type Address, type Hex } from 'viem';

/** The amount that one release pays, in wei: the unit in which the limits count. */
export const AMOUNT = 10n ** 13n;
const COLLATERAL = parseEther('100');
const BASE_FEE = '0x3b9aca00';
const MAX_BATCH_GAS = 2n ** 24n - 1n;

/** How the node makes blocks: one a transaction, or one a second with this much gas. */
export type Mining = 'automine' | { readonly blockGas: bigint };

/** A development node with the real contracts. Wallet 1 is the relayer. */
export interface BenchBridge {
  readonly anvil: Anvil;
  readonly bridgeLock: Address;
  /** The id of the withdrawal with a number. */
  readonly withdrawalId: (nonce: bigint) => Hex;
  /** Sets how blocks are made, and the base fee back to 1 gwei. */
  readonly setMining: (mining: Mining) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts both chains, deploys the contracts and fills the collateral. Only Ethereum is used afterwards. */
export async function startBridge(): Promise<BenchBridge> {
  const [anvil, partner] = await Promise.all([startAnvil({ chainId: ETHEREUM }), startAnvil({ chainId: PARTNER })]);
  const book = await deployBridge({ config: configuration(), ethereum: anvil, partner });
  await partner.stop();
  const { bridgeLock } = book.ethereum;
  const hash = await anvil.wallet.sendTransaction({
    to: bridgeLock,
    value: COLLATERAL,
    data: encodeFunctionData({ abi: bridgeLockAbi, functionName: 'topUp' }),
  });
  await anvil.client.waitForTransactionReceipt({ hash, timeout: 10_000 });
  return {
    anvil,
    bridgeLock,
    withdrawalId: (nonce) => operationId(PARTNER, book.partner.bridgeMint, nonce),
    setMining: async (mining) => {
      const isAutomine = mining === 'automine';
      await anvil.request('evm_setBlockGasLimit', [`0x${(isAutomine ? 30_000_000n : mining.blockGas).toString(16)}`]);
      await anvil.request('anvil_setNextBlockBaseFeePerGas', [BASE_FEE]);
      if (isAutomine) {
        await anvil.request('evm_setIntervalMining', [0]);
        await anvil.request('evm_setAutomine', [true]);
      } else {
        await anvil.request('evm_setAutomine', [false]);
        await anvil.request('evm_setIntervalMining', [1]);
      }
      await anvil.request('evm_mine');
    },
    stop: () => anvil.stop(),
  };
}

/** Encodes the release of withdrawals of ETH: one by the single function, more as a batch. */
export function encodeReleases(nonces: readonly bigint[]): { readonly data: Hex; readonly gas: bigint } {
  const recipient = testAccounts.recipient.address;
  const [first] = nonces;
  if (first !== undefined && nonces.length === 1) {
    const args = [first, recipient, AMOUNT, 0n] as const;
    return { data: encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseNative', args }), gas: 300_000n };
  }
  const payments = nonces.map((withdrawNonce) => {
    return { token: zeroAddress, recipient, amount: AMOUNT, withdrawNonce, fee: 0n };
  });
  const attestation = { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] };
  const data = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseMany', args: [payments, attestation] });
  // As the relayer sets it: every recipient may refuse.
  const gas = BigInt(nonces.length) * 300_000n;
  return { data, gas: gas < MAX_BATCH_GAS ? gas : MAX_BATCH_GAS };
}

/** Derived once, since each derivation takes 10 ms. */
export const testAccounts = { relayer: testAccount(1), recipient: testAccount(9) };

function configuration() {
  const perAsset = <T>(make: (asset: Asset) => T) =>
    Object.fromEntries(listAssets().map((asset) => [asset, make(asset)]));
  const policies = perAsset(() => ({ bps: 25, minFee: '0', minAmount: '1' }));
  const unitExponents = { ETH: 13, USDC: 4, XCN: 17 };
  const limits = perAsset((asset) => {
    const most = `1000000000${'0'.repeat(pickAsset(unitExponents, asset))}`;
    return { capacity: most, windowSeconds: 60, maxAmount: most };
  });
  return deploymentConfigSchema.parse({
    environment: 'local',
    relayer: testAccounts.relayer.address,
    guardian: testAccount(2).address,
    recovery: testAccount(8).address,
    treasury: testAccount(3).address,
    policyManager: testAccount(7).address,
    adminDelaySeconds: 0,
    nativeUnit: '1',
    unitExponents,
    feePolicies: policies,
    feeCeilings: policies,
    limits,
    limitCeilings: limits,
  });
}
