import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ContractFunctionRevertedError,
  BaseError,
  maxUint256,
  parseEther,
  zeroHash,
  type Abi,
  type Address,
} from 'viem';
import { bridgeLockAbi, bridgeMintAbi, testUsdcAbi } from '../../generated/abi.js';
import { deployBridge, type AddressBook } from '../../deploy/index.js';
import {
  deployer,
  guardian,
  localConfig,
  relayer,
  startChains,
  makeTarget,
  type TestTarget,
  type TestChains,
} from './fixtures.js';

// A bridge passes on the reverts of tokens, so its exported ABI must name their errors.

let chains: TestChains;
let ethereum: TestTarget;
let partner: TestTarget;
let book: AddressBook;

beforeAll(async () => {
  chains = await startChains();
  ({ ethereum, partner } = chains);
  book = await deployBridge({ config: localConfig(), ethereum, partner });
});

afterAll(async () => chains?.stop());

interface Call {
  readonly address: Address;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args: readonly unknown[];
}

/** The name of the error by which a call reverts. */
async function catchRevert({ client }: TestTarget, account: Address, call: Call): Promise<string | undefined> {
  const error: unknown = await client.simulateContract({ ...call, account }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const revert =
    error instanceof BaseError ? error.walk((cause) => cause instanceof ContractFunctionRevertedError) : null;
  return revert instanceof ContractFunctionRevertedError ? revert.data?.errorName : undefined;
}

const lock = (functionName: string, ...args: readonly unknown[]): Call => ({
  address: book.ethereum.bridgeLock,
  abi: bridgeLockAbi,
  functionName,
  args,
});
const mint = (functionName: string, ...args: readonly unknown[]): Call => ({
  address: book.partner.bridgeMint,
  abi: bridgeMintAbi,
  functionName,
  args,
});

describe('the exported ABI of a bridge', () => {
  it('names the errors of an ERC-20 behind BridgeLock', async () => {
    const { USDC } = book.ethereum.tokens;
    const user = guardian.address;
    const deposit = lock('deposit', USDC, 5n, user);
    expect(await catchRevert(ethereum, user, deposit)).toBe('ERC20InsufficientAllowance');
    const wallet = makeTarget(chains.anvils[0], guardian).wallet;
    const token = { address: USDC, abi: testUsdcAbi } as const;
    const hash = await wallet.writeContract({
      ...token,
      functionName: 'approve',
      args: [book.ethereum.bridgeLock, maxUint256],
    });
    await ethereum.client.waitForTransactionReceipt({ hash });
    expect(await catchRevert(ethereum, user, deposit)).toBe('ERC20InsufficientBalance');
    const blocked = await wallet.writeContract({ ...token, functionName: 'setBlocklisted', args: [user, true] });
    await ethereum.client.waitForTransactionReceipt({ hash: blocked });
    expect(await catchRevert(ethereum, user, deposit)).toBe('Blocklisted');
  });

  it('names the errors of a bridged token behind BridgeMint', async () => {
    const { ETH } = book.partner.tokens;
    const burn = mint('burn', ETH, parseEther('1'), deployer.address, parseEther('1'));
    expect(await catchRevert(partner, deployer.address, burn)).toBe('ERC20InsufficientBalance');
    const attestation = { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] };
    const refund = mint('refund', zeroHash, ETH, deployer.address, 10n ** 13n, attestation);
    expect(await catchRevert(partner, relayer.address, refund)).toBe('ERC20InsufficientBalance');
  });

  it.each([
    [
      'bridgeLock',
      bridgeLockAbi,
      ['ERC2612ExpiredSignature', 'Blocklisted', 'RoleTaken', 'AttestationRequired', 'ECDSAInvalidSignature'],
    ],
    [
      'bridgeMint',
      bridgeMintAbi,
      ['ERC20InsufficientAllowance', 'HandedIn', 'NotBridge', 'AboveMaximum', 'AboveCeiling'],
    ],
  ] as const)('has every error of %s once', (_, abi, expected) => {
    const names = abi.flatMap((item) => (item.type === 'error' ? [item.name] : []));
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining([...expected]));
  });
});
