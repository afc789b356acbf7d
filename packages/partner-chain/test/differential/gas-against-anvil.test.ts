import { isLong, seed, startAnvil, type Anvil } from '@causeway/test-kit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { getContractAddress, hexToBytes, keccak256, numberToHex, type Address, type Hex } from 'viem';
import type { StoredReceipt } from '../../src/blocks/chain-reader.js';
import { LAZY_ACCOUNT_GAS } from '../../src/evm/fees.js';
import { deploying } from '../contracts.js';
import { ALICE, CHAIN_ID, EngineWorld, GWEI, makeAccount, SENDERS, UNIT } from '../engine-world.js';
import { AnvilGas, type Sent } from './anvil-gas.js';
import { action, compile, findCallee, toAddress, type Action, type Contract } from './programs.js';

// The exact gas of random transactions must be an anvil's gas plus the price of each account that a payment creates. An
// independent analysis of the anvil's traces finds these accounts.

const TRANSACTIONS = isLong ? 3_000 : 150;
const TIMEOUT_MS = 900_000;
const SEED = seed();
/** Gas limit: enough for every payment of a transaction, and within the cap of EIP-7825. */
const GAS = 16_000_000n;
/** Coin of each contract: in most cases more than it pays in total. */
const ENDOWMENT = 1_000_000n;
const AUTHORITIES = Array.from({ length: 6 }, (_, index) => makeAccount(`authority ${index}`));
const authorityNonces = new Map<Address, number>();
/** An account without code. */
const DELEGATE: Address = `0x${'de'.repeat(20)}`;

let anvil: Anvil;
let world: EngineWorld;
beforeAll(async () => {
  anvil = await startAnvil({
    chainId: CHAIN_ID,
    manualMining: true,
    args: ['--hardfork', 'osaka', '--steps-tracing', '--base-fee', '1000', '--gas-limit', '60000000'],
  });
  world = await EngineWorld.open({ pool: { transactions: 10, bytes: 10_000_000, perSender: 10 } });
  for (const { address } of SENDERS) await anvil.request('anvil_setBalance', [address, numberToHex(10n ** 26n)]);
  // Contrary to EIP-7702, an anvil refunds authorizations of accounts that do not exist, so all of them exist.
  for (const { address } of AUTHORITIES) {
    const raw = await world.sign(ALICE, { to: address, units: 1n });
    await sendToBoth({ theirs: raw, ours: raw });
  }
});
afterAll(async () => {
  await world?.close();
  await anvil?.stop();
});

it(
  `of ${TRANSACTIONS} random transactions is anvil’s plus the price of new accounts (seed ${SEED})`,
  async () => {
    const gas = new AnvilGas(anvil);
    const contracts: Contract[] = [];
    let newAccounts = 0;
    for (const drawn of fc.sample(action, { seed: SEED, numRuns: TRANSACTIONS })) {
      const { sent, deployed, ...raw } = await sign(drawn, contracts);
      const receipt = await sendToBoth(raw);
      const traced = await gas.trace(sent);
      newAccounts += traced.newAccounts;
      const ours = { status: receipt?.status, gasUsed: receipt?.gasUsed };
      const expected = { status: Number(traced.status), gasUsed: traced.gasWith(LAZY_ACCOUNT_GAS) };
      expect([drawn, ours]).toEqual([drawn, expected]);
      if (deployed !== undefined && ours.status === 1) contracts.push(deployed);
    }
    // The sample contains the relevant cases.
    expect(newAccounts).toBeGreaterThan(TRANSACTIONS / 10);
  },
  TIMEOUT_MS,
);

interface Signed {
  /** Transaction for the anvil, whose wei are units here. */
  readonly theirs: Hex;
  readonly ours: Hex;
  readonly sent: Sent;
  /** The contract that later transactions can call. */
  readonly deployed?: Contract;
}

async function sendToBoth({ theirs, ours }: Pick<Signed, 'theirs' | 'ours'>): Promise<StoredReceipt | undefined> {
  world.submit(ours);
  const [receipt] = await world.mine();
  await anvil.request('eth_sendRawTransaction', [theirs]);
  await anvil.request('evm_mine');
  return receipt;
}

async function sign(drawn: Action, contracts: readonly Contract[]): Promise<Signed> {
  const from = SENDERS[drawn.sender % SENDERS.length]!;
  const nonce = Number(world.engine.pendingNonce(hexToBytes(from.address)));
  const { to, units, data, level } = compose(drawn, contracts);
  const extra = await drawExtras(drawn, to);
  const signWith = (value: bigint) =>
    from.signTransaction({ chainId: CHAIN_ID, nonce, to, data, gas: GAS, value, ...extra.fields } as Transaction);
  const [theirs, ours] = [await signWith(units), await signWith(units * UNIT)];
  const address = getContractAddress({ from: from.address, nonce: BigInt(nonce) });
  return {
    theirs,
    ours,
    sent: { hash: keccak256(theirs), to, value: units, data, gas: GAS, ...extra },
    ...(drawn.kind === 'deploy' ? { deployed: { address, level } } : {}),
  };
}

type Transaction = Parameters<(typeof ALICE)['signTransaction']>[0];

/** The fields of a type of transaction, and the gas and refund that they add. */
async function drawExtras(drawn: Action, to: Address | null) {
  const caps = { maxFeePerGas: 2n * GWEI, maxPriorityFeePerGas: GWEI };
  if (drawn.kind === 'delegate') {
    const authority = AUTHORITIES[drawn.authority % AUTHORITIES.length]!;
    const nonce = authorityNonces.get(authority.address) ?? 0;
    authorityNonces.set(authority.address, nonce + 1);
    const authorization = await authority.signAuthorization({ address: DELEGATE, chainId: CHAIN_ID, nonce });
    return {
      fields: { ...caps, type: 'eip7702', authorizationList: [authorization] },
      listGas: 25_000n,
      authorities: [authority.address],
      authorizationRefund: 12_500n,
    };
  }
  const hasList = drawn.kind === 'call' && drawn.lists && drawn.type !== 'legacy';
  const storageKeys = [0, 1].map((slot) => numberToHex(slot, { size: 32 }));
  const prices = drawn.type === 'eip1559' ? caps : { gasPrice: 2n * GWEI };
  return {
    fields: { ...prices, type: drawn.type, ...(hasList ? { accessList: [{ address: to, storageKeys }] } : {}) },
    listGas: hasList ? 2_400n + 2n * 1_900n : 0n,
    authorities: [],
    authorizationRefund: 0n,
  };
}

/** The recipient, value and data of a transaction. */
function compose(
  drawn: Action,
  contracts: readonly Contract[],
): { readonly to: Address | null; readonly units: bigint; readonly data: Hex; readonly level: number } {
  switch (drawn.kind) {
    case 'transfer':
      return { to: toAddress(drawn.to), units: BigInt(drawn.units), data: drawn.data, level: 0 };
    case 'delegate':
      return { to: toAddress(drawn.to), units: BigInt(drawn.units), data: '0x', level: 0 };
    case 'call': {
      const callee = contracts[drawn.target % contracts.length];
      const to = callee?.address ?? toAddress({ pool: 0 });
      return { to, units: BigInt(drawn.units), data: '0x', level: 0 };
    }
    case 'construct':
      return { to: null, units: BigInt(drawn.units), data: compile(drawn.program, contracts), level: 0 };
    case 'deploy': {
      const callee = findCallee(drawn.program, contracts);
      const level = callee === undefined ? 0 : callee.level + 1;
      return { to: null, units: ENDOWMENT, data: deploying(compile(drawn.program, contracts)), level };
    }
  }
}
