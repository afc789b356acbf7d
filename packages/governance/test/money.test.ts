import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseEther, zeroAddress, type Address } from 'viem';
import { collectFees, redirectCredit, retire, topUp } from '../src/plans/money.js';
import { setListing, windDown } from '../src/plans/listings.js';
import { rotateRelayer } from '../src/plans/relayer.js';
import { bridgedTokenAbi } from '@causeway/contracts/abi';
import { bridgedTokenBytecode } from '@causeway/contracts/bytecode';
import { deployer, makeAddress, mined, newcomer, owner, relayer, makeTarget, treasury } from './fixtures.js';
import { startOperator, type Operator } from './operator.js';

let operator: Operator;
let as: Operator['as'];

beforeAll(async () => {
  operator = await startOperator();
  ({ as } = operator);
});

beforeEach(async () => operator.chains.restore());

afterAll(async () => operator?.chains.stop());

const onEthereum = (account: typeof owner) => makeTarget(operator.chains.anvils[0], account).wallet;
const onPartner = (account: typeof owner) => makeTarget(operator.chains.anvils[1], account).wallet;

describe('retire', () => {
  it('lets only the relayer retire its own tokens and those of its predecessor', async () => {
    const { book, clients, mint, partner } = operator;
    const burnt = parseEther('3');
    const { ETH } = book.partner.tokens;
    const minted = [0n, ETH, treasury.address, burnt] as const;
    await mined(operator.partner, onPartner(relayer).writeContract({ ...mint, functionName: 'mint', args: minted }));
    const burn = [ETH, burnt, treasury.address, burnt] as const;
    await mined(operator.partner, onPartner(treasury).writeContract({ ...mint, functionName: 'burn', args: burn }));
    const retireEth = async (amount: bigint, formerWallet?: Address) =>
      retire(book, { asset: 'ETH', amount, ...(formerWallet !== undefined && { formerWallet }) }, clients);
    const held = async () =>
      partner.client.readContract({
        address: ETH,
        abi: bridgedTokenAbi,
        functionName: 'balanceOf',
        args: [relayer.address],
      });
    await expect(as(owner, retireEth(1n))).rejects.toThrow(/is not relayer of BridgeMint/);
    expect(await as(relayer, retireEth(parseEther('1')))).toMatch(/amount = 1000000000000000000\ncall: retire/);
    await as(relayer, retireEth(parseEther('1')), true);
    expect(await held()).toBe(parseEther('2'));

    await as(deployer, await rotateRelayer(book, newcomer.address, clients), true);
    await expect(as(relayer, retireEth(1n))).rejects.toThrow(/is not relayer of BridgeMint/);
    await expect(as(newcomer, retireEth(1n, owner.address))).rejects.toThrow(/NotRelayerWallet/);
    const rest = retireEth(parseEther('2'), relayer.address);
    expect(await as(newcomer, rest)).toMatch(/retireOf\n {2}wallet = 0x7099/);
    await as(newcomer, rest, true);
    expect(await held()).toBe(0n);
  });
});

describe('collectFees', () => {
  it('pays the treasury, for any caller', async () => {
    const { book, clients, lock, ethereum } = operator;
    const deposited = {
      ...lock,
      functionName: 'depositNative',
      args: [owner.address],
      value: parseEther('2'),
    } as const;
    await mined(operator.ethereum, onEthereum(deployer).writeContract(deposited));
    const args = [0n, owner.address, parseEther('1'), parseEther('0.5')] as const;
    await mined(operator.ethereum, onEthereum(relayer).writeContract({ ...lock, functionName: 'releaseNative', args }));
    const before = await ethereum.client.getBalance({ address: treasury.address });
    const shown = await as(owner, collectFees(book, 'ETH', clients), true);
    expect(shown).toMatch(/^fees of ETH in BridgeLock: 0.5 ETH -> 0 ETH, paid to the treasury 0x90F7/);
    const after = await ethereum.client.getBalance({ address: treasury.address });
    expect(after - before).toBe(parseEther('0.5'));
  });
});

describe('redirectCredit', () => {
  it('moves the credit only of an account that can never receive', async () => {
    const { book, clients, mint, partner } = operator;
    const { ETH, USDC } = book.partner.tokens;
    const args = [0n, ETH, USDC, parseEther('2')] as const;
    await mined(operator.partner, onPartner(relayer).writeContract({ ...mint, functionName: 'mint', args }));
    const redirect = async (account: Address, to: Address) =>
      redirectCredit(book, { chain: 'partner', asset: 'ETH', account, to }, clients);
    await expect(redirect(owner.address, newcomer.address)).rejects.toThrow(
      /0x15d3\w+ has no ETH credit in BridgeMint on partner/,
    );
    await expect(redirect(USDC, USDC)).rejects.toThrow(/would not move/);
    await expect(as(newcomer, redirect(USDC, newcomer.address))).rejects.toThrow(/is not admin of BridgeMint/);
    await expect(as(deployer, redirect(USDC, relayer.address))).rejects.toThrow(/InvalidRecipient/);
    expect(await as(deployer, redirect(USDC, newcomer.address), true)).toMatch(
      /credits of ETH in BridgeMint on partner\n {2}0x\w+: 2 ETH -> 0 ETH\n {2}0x9965\w+: 0 ETH -> 2 ETH/,
    );
    const claim = { ...mint, functionName: 'claim', args: [ETH, newcomer.address] } as const;
    const hash = await onPartner(newcomer).writeContract(claim);
    expect((await partner.client.waitForTransactionReceipt({ hash })).status).toBe('success');
  });
});

describe('windDown', () => {
  it('ends the deposits of an asset, mints those in flight, and lets every holder withdraw', async () => {
    const { book, clients, ethereum, partner, lock, mint } = operator;
    const amount = parseEther('2');
    const terms = { asset: 'ETH', releaseCost: null };
    const deposited = { ...lock, functionName: 'depositNative', args: [newcomer.address], value: amount } as const;
    await mined(operator.ethereum, onEthereum(newcomer).writeContract(deposited));
    expect(await as(deployer, windDown(book, terms, clients), true)).toMatch(
      /ETH in BridgeLock on ethereum\n {2}may begin: yes -> no\n[^]*ETH in BridgeMint on partner\n {2}may begin: yes \(unchanged\)\n {2}may be delivered: yes \(unchanged\)/,
    );
    expect((await windDown(book, terms, clients)).calls).toEqual([]);
    const simulated = { ...deposited, account: newcomer };
    await expect(ethereum.client.simulateContract(simulated)).rejects.toThrow(/TokenNotAllowed/);

    const { ETH } = book.partner.tokens;
    const minted = [0n, ETH, newcomer.address, amount] as const;
    await mined(operator.partner, onPartner(relayer).writeContract({ ...mint, functionName: 'mint', args: minted }));
    const burn = [ETH, amount, newcomer.address, amount] as const;
    await mined(operator.partner, onPartner(newcomer).writeContract({ ...mint, functionName: 'burn', args: burn }));
    const fee = await partner.client.readContract({ ...mint, functionName: 'quoteFee', args: [ETH, amount] });
    const released = [0n, newcomer.address, amount - fee, fee] as const;
    await mined(
      operator.ethereum,
      onEthereum(relayer).writeContract({ ...lock, functionName: 'releaseNative', args: released }),
    );
    expect(await ethereum.client.readContract({ ...lock, functionName: 'locked', args: [zeroAddress] })).toBe(0n);
  });

  it('lets small holders withdraw at the cost of a release, and raises no fee', async () => {
    const { book, clients, partner, mint } = operator;
    const down = async (ether: string) => windDown(book, { asset: 'ETH', releaseCost: parseEther(ether) }, clients);
    expect(await as(deployer, down('0.0001'), true)).toMatch(
      /lowers the fee policy too\n {2}rate: 0.25% -> 0%\n {2}minimum fee: 0.003 ETH -> 0.0001 ETH\n {2}minimum amount: 0.01 ETH -> 0.000100000000000001 ETH/,
    );
    const args = [book.partner.tokens.ETH, parseEther('0.0002')] as const;
    expect(await partner.client.readContract({ ...mint, functionName: 'quoteFee', args })).toBe(parseEther('0.0001'));
    expect((await down('1')).calls).toEqual([]);
  });

  it('is done on one chain, or in single directions by setListing', async () => {
    const { book, clients, ethereum, lock } = operator;
    const wound = { asset: 'ETH', mayBegin: true, mayDeliver: false } as const;
    const one = await setListing(book, wound, { ethereum: clients.ethereum });
    expect(one.calls.map(({ chain }) => chain)).toEqual(['ethereum']);
    await as(deployer, one, true);
    const args = [zeroAddress] as const;
    const settings = await ethereum.client.readContract({ ...lock, functionName: 'tokenSettings', args });
    expect(settings.slice(0, 2)).toEqual([true, false]);
  });
});

describe('setListing', () => {
  it('refuses a token of another bridge, and a token that calls its recipients', async () => {
    const { book, clients, partner } = operator;
    const listed = { asset: 'USDC', mayBegin: true, mayDeliver: true } as const;
    const list = async (USDC: Address) =>
      setListing({ ...book, partner: { ...book.partner, tokens: { ...book.partner.tokens, USDC } } }, listed, clients);
    const args = ['Other', 'USDC', 6, newcomer.address] as const;
    const deployed = partner.wallet.deployContract({ abi: bridgedTokenAbi, bytecode: bridgedTokenBytecode, args });
    const { contractAddress } = await partner.client.waitForTransactionReceipt({ hash: await deployed });
    await expect(list(contractAddress ?? zeroAddress)).rejects.toThrow(/belongs to another bridge, 0x9965/);
    const hooked = makeAddress(14);
    // Answers every call with an empty list: PUSH1 32 PUSH0 MSTORE PUSH1 64 PUSH0 RETURN.
    await partner.cheat.setCode({ address: hooked, bytecode: '0x60205f5260405ff3' });
    await expect(list(hooked)).rejects.toThrow(/calls its recipients \(ERC-777\)/);
  });
});

describe('topUp', () => {
  it('adds ETH to the collateral and XCN to the float', async () => {
    const { book, clients, ethereum, partner, lock, mint } = operator;
    const add = async (chain: 'ethereum' | 'partner', amount: string) =>
      topUp(book, { chain, amount: parseEther(amount) }, clients);
    expect(await as(owner, add('ethereum', '5'), true)).toMatch(
      /^collateral of ETH in BridgeLock: 0 ETH -> 5 ETH\nBridgeLock on ethereum: topUp\ncall: topUp of 0x\w+\nvalue 5000000000000000000 wei\n/,
    );
    const locked = await ethereum.client.readContract({ ...lock, functionName: 'locked', args: [zeroAddress] });
    expect(locked).toBe(parseEther('5'));
    expect(await as(owner, add('partner', '7'), true)).toMatch(/^float of XCN in BridgeMint: 0 XCN -> 7 XCN/);
    expect(await partner.client.readContract({ ...mint, functionName: 'float' })).toBe(parseEther('7'));
  });

  it('refuses XCN that the EVM of the partner chain cannot represent', async () => {
    const book = { ...operator.book, partner: { ...operator.book.partner, nativeUnit: '10000000000' } };
    const dust = topUp(book, { chain: 'partner', amount: parseEther('1') + 1n }, operator.clients);
    await expect(dust).rejects.toThrow("must be a multiple of 0.00000001 XCN, the partner chain's unit");
  });
});
