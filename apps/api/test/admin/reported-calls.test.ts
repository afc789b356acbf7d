import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  auditResponseSchema,
  contractsResponseSchema,
  EXECUTE_ANNOUNCED,
  prepareCallResponseSchema,
  type ContractsResponse,
  type PrepareCallResponse,
} from '@causeway/protocol/admin';
import { testAccount, waitUntil } from '@causeway/test-kit';
import { createWalletClient, zeroHash, type Hex } from 'viem';
import { temporaryAdmin, type SignedIn, type TemporaryAdmin } from './temporary-admin.js';
import { temporaryBridge, type TemporaryBridge } from '../temporary-bridge.js';

// A member says which transactions they sent; the chain says what those did.

type Account = ReturnType<typeof testAccount>;
type Transaction = PrepareCallResponse['transactions'][number];
const DELAY_SECONDS = 3_600;
const [guardian, owner, stranger] = [2, 4, 6].map(testAccount) as [Account, Account, Account];
const SOMEBODY = '0x00000000000000000000000000000000000000ab';

let bridge: TemporaryBridge;
let api: TemporaryAdmin;
let operator: SignedIn;
beforeAll(async () => {
  bridge = await temporaryBridge({
    admin: owner.address,
    adminDelaySeconds: DELAY_SECONDS,
  });
  api = await temporaryAdmin(bridge);
  operator = await api.signedIn('operator');
});
afterAll(async () => {
  await api?.close();
  await bridge?.stop();
});

async function prepare(command: string, options: Readonly<Record<string, string>>, account: Account) {
  const { body } = await operator.post('/contracts/calls/prepare', { command, options, account: account.address });
  return prepareCallResponseSchema.parse(body).transactions;
}

/** Mines a transaction, also one that reverts. */
async function send({ side, to, data, value }: Pick<Transaction, 'side' | 'to' | 'data' | 'value'>, account: Account) {
  const { chain, transport, client } = bridge[side];
  const wallet = createWalletClient({ chain, transport, account });
  const call = { to, data: data as Hex, value: BigInt(value), gas: 1_000_000n };
  const txHash = await wallet.sendTransaction(call);
  await client.waitForTransactionReceipt({ hash: txHash });
  return { side, txHash };
}

const report = async (command: string, ...transactions: { readonly side: string; readonly txHash: Hex }[]) =>
  operator.post('/contracts/calls/report', { command, reason: 'a test', transactions });
const contracts = async (): Promise<ContractsResponse> =>
  contractsResponseSchema.parse((await operator.get('/contracts')).body);
/** The newest row of the audit log about a call. */
async function lastRow() {
  const { body } = await operator.get('/audit?action=contract-call&limit=1');
  return auditResponseSchema.parse(body).rows[0]!;
}

describe('a reported transaction', () => {
  it('is read from the chain: contract, function, sender and success', async () => {
    const [pause] = (await prepare('pause', { direction: 'ethereum-to-partner' }, guardian)) as [Transaction];
    const sent = await send(pause, guardian);
    expect(await report('pause', sent)).toMatchObject({ status: 204 });
    expect(await lastRow()).toMatchObject({
      actor: api.members.operator.address.toLowerCase(),
      reason: 'a test',
      txHash: sent.txHash,
      after: { command: 'pause', transactions: [sent] },
      reported: [
        {
          ...sent,
          state: 'SUCCEEDED',
          calls: [{ contract: 'Sentinel', functionName: pause.functionName, arguments: pause.arguments }],
          sender: guardian.address.toLowerCase(),
          sentence: expect.stringMatching(/^Sentinel\.\w+ by 0x[0-9a-f]{40} succeeded in block \d+\.$/),
        },
      ],
    });
    const reverted = await send(pause, stranger);
    expect(await report('pause', reverted)).toMatchObject({ status: 204 });
    expect((await lastRow()).reported).toMatchObject([
      { ...reverted, state: 'REVERTED', sender: stranger.address.toLowerCase() },
    ]);
  });

  it('is refused when no node has it, when it calls something else, and when the report is malformed', async () => {
    const row = (await lastRow()).sequence;
    const unknown = { side: 'partner', txHash: `0x${'7'.repeat(64)}` } as const;
    const transfer = await send({ side: 'partner', to: SOMEBODY, data: '0x', value: '1' }, stranger);
    const refused = async (answer: ReturnType<typeof report>, message: string) =>
      expect(await answer).toMatchObject({
        status: 400,
        body: { error: 'VALIDATION_ERROR', message: expect.stringContaining(message) },
      });
    await refused(report('set-policy', unknown), 'is on no node of partner');
    await refused(report('set-policy', transfer), 'calls no contract of the bridge on partner');
    await refused(report('steal', transfer), 'command must be the name of a call');
    await refused(report('set-policy'), 'must name a transaction');
    expect((await lastRow()).sequence).toBe(row);
  });
});

describe('an announced call', () => {
  it('comes with the transaction that executes it, once it is ready', async () => {
    const [schedule] = (await prepare('set-treasury', { to: SOMEBODY }, owner)) as [Transaction];
    const scheduled = await send(schedule, owner);
    expect(await report('set-treasury', scheduled)).toMatchObject({ status: 204 });
    expect((await lastRow()).reported).toMatchObject([
      {
        state: 'SUCCEEDED',
        calls: [
          { contract: 'AdminTimelock', functionName: 'schedule' },
          { contract: 'BridgeLock', functionName: 'setTreasury' },
        ],
      },
    ]);

    // A busy machine reads the events in a later turn.
    const early = await waitUntil('the call is announced', async () => (await contracts()).announced[0]);
    expect(early).toMatchObject({
      target: bridge.book.ethereum.bridgeLock.toLowerCase(),
      value: '0',
      predecessor: zeroHash,
      salt: zeroHash,
      isReady: false,
      execute: { step: 'execute', functionName: 'setTreasury', isSimulated: false, maySend: false },
    });
    await bridge.ethereum.test.increaseTime({ seconds: DELAY_SECONDS });
    await bridge.ethereum.test.mine({ blocks: 1 });
    const { isReady, execute } = (await contracts()).announced[0]!;
    if (execute === null) throw new Error('A call that was announced alone has no execution');
    expect(isReady).toBe(true);
    expect(execute).toMatchObject({ maySend: true, problem: null });
    // It is what the command prepares.
    const [prepared] = (await prepare('set-treasury', { to: SOMEBODY }, owner)) as [Transaction];
    expect(execute).toMatchObject({ to: prepared.to, data: prepared.data, callHash: prepared.callHash });

    const executed = await send(execute, owner);
    expect(await report(EXECUTE_ANNOUNCED, executed)).toMatchObject({ status: 204 });
    expect((await lastRow()).reported).toMatchObject([
      { state: 'SUCCEEDED', sentence: expect.stringMatching(/^AdminTimelock\.execute of BridgeLock\.setTreasury by/) },
    ]);
    const after = await contracts();
    expect(after.announced).toEqual([]);
    expect(after.roles).toContainEqual({ side: 'ethereum', role: 'treasury', address: SOMEBODY });
  });
});
