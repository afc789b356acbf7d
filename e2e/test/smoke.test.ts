import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount, type BridgeOperationResponse, type Side } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import {
  errorResponseSchema,
  feeQuoteResponseSchema,
  healthResponseSchema,
  limitsResponseSchema,
  refundResponseSchema,
  reservesResponseSchema,
} from '@causeway/protocol/rest';
import { User } from '@causeway/testbed';
import { anAddress, waitUntil } from '@causeway/test-kit';
import { decodeFunctionData, type Address, type Hex } from 'viem';
import { AdminClient } from '../chaos/admin-client.js';
import { checkStatements, createCheck, listLies, listVerdicts, type Honest, type Lie } from './claims.js';
import {
  dropDeposit,
  ended,
  findMints,
  findReleases,
  killAroundBroadcast,
  readBalance,
  temporaryEnvironment,
  type TestEnvironment,
} from './temporary-environment.js';

// The whole bridge once, in a minute. Other files test the details.

const ASSETS = ['ETH', 'USDC', 'XCN'] as const;
type Asset = (typeof ASSETS)[number];
const AMOUNTS = { ETH: '0.1', USDC: '50', XCN: '6000' } as const;
const THRESHOLD = 2;
const STRAY = parseAmount('XCN', '6001');

interface Transfer {
  readonly originTxHash: Hex;
  readonly asset: Asset;
  readonly to: Side;
  readonly recipient: Address;
  /** Due to the recipient, in atomic units. */
  readonly amount: bigint;
}

let environment: TestEnvironment;
let alice: User;
let bob: User;
let deposits: readonly Transfer[];
let withdrawals: readonly Transfer[];
let intent: { readonly originTxHash: Hex };
let check: ReturnType<typeof createCheck>;
let refund: { readonly id: Hex; readonly originTxHash: Hex; readonly balanceBefore: bigint };

beforeAll(async () => {
  environment = await temporaryEnvironment({
    attesters: THRESHOLD,
    threshold: THRESHOLD,
    holdSeconds: 1,
    ethereumConfirmations: 2,
    partnerConfirmations: 2,
  });
  alice = new User(environment, environment.accounts.alice);
  bob = new User(environment, environment.accounts.bob);
  check = createCheck(environment);
  // Attesters sign some seconds after their start. Meanwhile, transfers that can begin do.
  [deposits, refund] = await Promise.all([beginDeposits(), approvedRefund()]);
});
afterAll(async () => environment?.stop());

/** Begins deposits of each asset to empty accounts, and deposits for Bob to withdraw. */
async function beginDeposits(): Promise<readonly Transfer[]> {
  return environment.whileBlocksWait(async () => {
    for (const asset of ASSETS) await bob.deposit(asset, parseAmount(asset, AMOUNTS[asset]), bob.account.address);
    return inTurn(ASSETS, deposit);
  });
}

/** Begins items one at a time, since they share an account's nonces. */
async function inTurn<T, R>(items: readonly T[], begin: (item: T) => Promise<R>): Promise<readonly R[]> {
  const begun: R[] = [];
  for (const item of items) begun.push(await begin(item));
  return begun;
}

async function deposit(asset: Asset): Promise<Transfer> {
  const recipient = anAddress();
  const amount = parseAmount(asset, AMOUNTS[asset]);
  const { originTxHash } = await alice.deposit(asset, amount, recipient);
  return { originTxHash, asset, to: 'partner', recipient, amount };
}

async function withdraw(asset: Asset): Promise<Transfer> {
  const recipient = anAddress();
  const amount = parseAmount(asset, AMOUNTS[asset]);
  const quote = await quoteWithdrawal(asset);
  const [fee, outputAmount] = [BigInt(quote.feeAmount), BigInt(quote.outputAmount)];
  expect(outputAmount).toBe(amount - fee);
  const hasEnough = async () => (await readBalance(environment, 'partner', asset, bob.account.address)) >= amount;
  await waitUntil(`Bob has the ${asset} of his deposit`, hasEnough);
  const { originTxHash } =
    asset === 'XCN' ? await bob.withdrawNative(amount, recipient, fee) : await bob.burn(asset, amount, recipient, fee);
  return { originTxHash, asset, to: 'ethereum', recipient, amount: outputAmount };
}

async function quoteWithdrawal(asset: Asset) {
  const path = `/bridge/fee-quote?token=${asset}&amount=${AMOUNTS[asset]}&direction=PARTNER_TO_ETHEREUM`;
  return alice.get(path, feeQuoteResponseSchema);
}

/** Makes a transfer that pays no intent, with a refund approved by two operators in the console. */
async function approvedRefund(): Promise<typeof refund> {
  const { partner, accounts, book, stack } = environment;
  const wallet = partner.getWallet(alice.account);
  const hash = await wallet.sendTransaction({ to: book.relayer, value: STRAY });
  const operation = await ended(alice, hash);
  expect(operation).toMatchObject({ status: 'FAILED', failureReason: 'TRANSFER_UNMATCHED' });
  const id = operation.refundId!;
  const balanceBefore = await readBalance(environment, 'partner', 'XCN', alice.account.address);
  const api = { consoleUrl: stack.consoleUrl, book };
  const first = await AdminClient.signIn(api, accounts.firstOperator.privateKey);
  const second = await AdminClient.signIn(api, accounts.secondOperator.privateKey);
  const recipient = alice.account.address.toLowerCase() as Address;
  const asked = await first.ask({ kind: 'REFUND_APPROVE', refundId: id, recipient, amount: `${STRAY}` });
  expect(asked.state).toBe('AWAITING_APPROVAL');
  await second.approve(asked);
  return { id, originTxHash: hash, balanceBefore };
}

/** Waits for a transfer, and expects that its recipient got all of it in one payment signed by attesters. */
async function expectPaidOnce({ originTxHash, asset, to, recipient, amount }: Transfer) {
  const operation = await ended(alice, originTxHash);
  expect(operation).toMatchObject({ status: 'COMPLETED', asset, outputAmount: `${amount}` });
  const find = to === 'partner' ? findMints : findReleases;
  expect(await find(environment, operation.id)).toEqual([operation.settlement!.txHash]);
  expect(await readBalance(environment, to, asset, recipient)).toBe(amount);
  const { attestation } = await readDelivery(operation);
  expect(attestation.signatures).toHaveLength(THRESHOLD);
  return operation;
}

/** Reads the transaction that delivered an operation, with the attesters' consent. */
async function readDelivery({ settlement }: BridgeOperationResponse) {
  const side: Side = settlement!.chainId === environment.book.ethereum.chainId ? 'ethereum' : 'partner';
  const transaction = await environment[side].client.getTransaction({ hash: settlement!.txHash });
  const call = decodeFunctionData({ abi: [...bridgeLockAbi, ...bridgeMintAbi], data: transaction.input });
  if (call.functionName !== 'mintMany' && call.functionName !== 'releaseMany')
    throw new Error(`${call.functionName} delivers no batch`);
  return { transaction, call, attestation: call.args[1] };
}

describe('the API', () => {
  it('is healthy, describes itself, and lists the cost of each asset', async () => {
    const { healthUrl, apiUrl } = environment.stack;
    const health = await fetch(healthUrl);
    expect(health.status).toBe(200);
    expect(healthResponseSchema.parse(await health.json()).status).toBe('healthy');
    const description = (await (await fetch(`${apiUrl}/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(description.paths)).toEqual(expect.arrayContaining(['/bridge/status', '/bridge/fee-quote']));
    for (const terms of Object.values(await alice.get('/bridge/limits', limitsResponseSchema))) {
      expect(terms).toMatchObject({ paused: false, undeliverableReason: null });
      expect(terms.assets.map(({ token, mayBegin }) => mayBegin && token)).toEqual(ASSETS);
    }
    const { inputAmount, feeAmount } = await quoteWithdrawal('XCN');
    expect([inputAmount, feeAmount]).toEqual([parseAmount('XCN', '6000'), parseAmount('XCN', '1000')].map(String));
  });

  it('knows each transfer as soon as it has begun, and no others', async () => {
    for (const { originTxHash, asset, recipient, amount } of deposits) {
      const claim = await bob.status(originTxHash);
      expect(claim).toMatchObject({ asset, recipient, amount: `${amount}` });
      expect(listVerdicts(await check(originTxHash, claim), 'disagree')).toEqual([]);
    }
    const unknown = await fetch(`${environment.stack.apiUrl}/bridge/status?originTxHash=0x${'77'.repeat(32)}`);
    expect(unknown.status).toBe(404);
    expect(errorResponseSchema.parse(await unknown.json()).error).toBe('OPERATION_NOT_FOUND');
  });
});

describe('the console', () => {
  it('is a page that runs only its own scripts and cannot be framed', async () => {
    const answer = await fetch(environment.stack.consoleUrl);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/html');
    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).toContain("frame-ancestors 'none'");
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)![1]!;
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const page = await answer.text();
    const scripts = [...page.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    expect(scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`))).toEqual([]);
    const main = scripts.map((tag) => /src="([^"]+)"/.exec(tag)?.[1]).find(Boolean)!;
    const script = await fetch(new URL(main, environment.stack.consoleUrl));
    expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  });

  it('refuses a client without a session', async () => {
    const url = (path: string) => new URL(`/api/v1/admin${path}`, environment.stack.consoleUrl);
    for (const path of ['/overview', `/operations`, `/refunds/${refund.id}`])
      expect((await fetch(url(path))).status).toBe(401);
    const approval = await fetch(url('/requests'), {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(approval.status).toBe(401);
  });
});

describe('the bridge', () => {
  it('does not pay a deposit that a reorg drops before it is final, and pays the next one', async () => {
    const recipient = anAddress();
    const dropped = await dropDeposit(environment, alice, parseAmount('ETH', '0.2'), recipient);
    await expectPaidOnce(await deposit('ETH'));
    expect(await alice.status(dropped)).toBeNull();
    expect(await readBalance(environment, 'partner', 'ETH', recipient)).toBe(0n);
  });

  it('pays deposits and withdrawals of every asset once, to the unit', async () => {
    withdrawals = await inTurn(ASSETS, withdraw);
    intent = await bob.withdrawXcn(parseAmount('XCN', AMOUNTS.XCN), anAddress(), 'intent');
    for (const transfer of [...deposits, ...withdrawals]) await expectPaidOnce(transfer);
  });

  it('refunds a transfer that pays no intent once, to the unit', async () => {
    const { id, balanceBefore } = refund;
    const read = async () => alice.get(`/bridge/refunds/${id}`, refundResponseSchema);
    await waitUntil('the refund is paid', async () => (await read()).status === 'COMPLETED');
    expect(await readBalance(environment, 'partner', 'XCN', alice.account.address)).toBe(balanceBefore + STRAY);
    const { partner, book } = environment;
    const where = { address: book.partner.bridgeMint, abi: bridgeMintAbi, eventName: 'Refunded' } as const;
    expect(await partner.client.getContractEvents({ ...where, args: { refundId: id }, fromBlock: 0n })).toHaveLength(1);
  });

  it('delivers nothing without the signatures of its attesters', async () => {
    const { partner, book } = environment;
    const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
    const [, members, threshold] = await partner.client.readContract({ ...mint, functionName: 'attesters' });
    const { transaction, call, attestation } = await readDelivery(await ended(alice, deposits[0]!.originTxHash));
    if (call.functionName !== 'mintMany') throw new Error(`A deposit was delivered by ${call.functionName}`);
    expect([attestation.attesters, threshold]).toEqual([members, BigInt(THRESHOLD)]);
    const { from, value, blockNumber } = transaction;
    /** Repeats the call at the block before, with this many signatures. */
    const callBefore = async (count: number) => {
      const signatures = attestation.signatures.slice(0, count);
      const args = [call.args[0], { ...attestation, signatures }] as const;
      const again = { ...mint, functionName: 'mintMany', args, account: from, value } as const;
      return (await partner.client.simulateContract({ ...again, blockNumber: blockNumber - 1n })).result;
    };
    expect(await callBefore(THRESHOLD)).toBeGreaterThan(0n);
    await expect(callBefore(THRESHOLD - 1)).rejects.toThrow('WrongSignatureCount');
  });
});

describe('the reserves', () => {
  it('are stated by the attesters as both chains show them, and an altered statement is found wrong', async () => {
    const page = await waitUntil('they are stated', async () => {
      const found = await alice.get('/bridge/reserves', reservesResponseSchema);
      return found.statements.length === 0 ? null : found;
    });
    const { statements } = page;
    expect(page).toMatchObject({ needed: THRESHOLD, nextBefore: null });
    expect(statements.map(({ signatures }) => signatures.length)).toEqual([THRESHOLD]);
    const checked = await checkStatements(environment, page);
    expect(checked).toMatchObject({ problems: [], isOfStatement: true, statements: 1 });
    expect(checked.assets.map(({ asset }) => asset)).toEqual([...ASSETS]);
    for (const [field, value] of Object.entries({ locked: '1', supply: '2', held: '3', inFlight: '4', fees: '5' })) {
      const lies = statements.map((one) => ({
        ...one,
        assets: one.assets.map((each) => ({ ...each, [field]: value })),
      }));
      const { problems } = await checkStatements(environment, { ...page, statements: lies });
      expect(problems).toContainEqual(expect.stringContaining(`${field} of USDC is`));
    }
  });
});

describe('what the API says of a transfer', () => {
  it('is what both chains show', async () => {
    for (const claim of Object.values(await readHonest())) {
      for (const asked of [claim.id, claim.originTxHash!]) {
        const rows = await check(asked, claim);
        expect(listVerdicts(rows, 'disagree')).toEqual([]);
        expect(listVerdicts(rows, 'agree').length).toBeGreaterThan(20);
      }
    }
  });

  it('is found wrong in each field that is a lie', async () => {
    const honest = await readHonest();
    const findLie = async ([about, field, change]: Lie) => {
      const claim = { ...honest[about], ...change } as BridgeOperationResponse;
      const wrong = (await check(honest[about].id, claim)).filter(({ verdict }) => verdict === 'disagree');
      expect([about, field, wrong.map((row) => row.field)]).toEqual([about, field, expect.arrayContaining([field])]);
    };
    await Promise.all(listLies(honest).map(findLie));
  });

  /** A transfer of each kind, as the API describes it. */
  async function readHonest(): Promise<Honest> {
    const hashes = [deposits[1]!, withdrawals[1]!, intent, refund].map(({ originTxHash }) => originTxHash);
    const claims = await inTurn(hashes, async (hash) => ended(alice, hash));
    return { deposit: claims[0]!, burn: claims[1]!, intent: claims[2]!, failed: claims[3]! };
  }
});

describe('the relayer', () => {
  it('pays each once after a kill between a broadcast and its answer, also without one of three nodes', async () => {
    const { stack } = environment;
    const [{ killed }, transfer] = await Promise.all([
      killAroundBroadcast(environment, 'partner', 'afterNode'),
      deposit('USDC'),
    ]);
    await killed();
    const promised = await alice.status(transfer.originTxHash);
    let isAway = false;
    let asked = 0;
    const failing = await environment.proxyBefore('ethereum', {
      beforeNode: async () => {
        if (isAway) asked += 1;
        return !isAway;
      },
    });
    const twin = await environment.proxyBefore('ethereum', {});
    await environment.restartRelayer({ ETHEREUM_RPC_URLS: [failing, stack.ethereum.rpcUrl, twin].join() });
    const operation = await expectPaidOnce(transfer);
    expect(operation.settlement!.txHash).toBe(promised!.destinationTxHash);
    isAway = true;
    await expectPaidOnce(await deposit('XCN'));
    expect(asked).toBeGreaterThan(0);
  });
});
