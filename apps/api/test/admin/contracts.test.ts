import { describe, expect, it } from '@jest/globals';
import { lower } from '@causeway/chain';
import { alertsResponseSchema, contractCallsResponseSchema, prepareCallResponseSchema } from '@causeway/protocol/admin';
import { aHash, anAddress, RpcRefusal, startRpcProxy } from '@causeway/test-kit';
import { type Hex } from 'viem';
import {
  api,
  bridge,
  contracts,
  guardian,
  keepState,
  kept,
  lowered,
  NO_NODE,
  operator,
  owner,
  pauseBoth,
  policyManager,
  prepare,
  PREPARE,
  relayer,
  send,
  treasury,
} from './contracts-world.js';
import { temporaryAdmin } from './temporary-admin.js';

/** Adds a deposit of XCN that the float does not cover. */
async function delayDeposit(xcn: string): Promise<void> {
  const { ethereum, partner } = bridge.book;
  await api.sql.query(`
    INSERT INTO operation (id, kind, direction, asset, status, amount, fee, fee_bps, output_amount, sender, recipient, origin_nonce,
      origin_tx_hash, origin_block_number, origin_block_hash, origin_chain_id, destination_chain_id, required_confirmations,
      finalized_at, hold_released_at, delayed_reason, delayed_since)
    VALUES ('${aHash()}', 'DEPOSIT', 'ETHEREUM_TO_PARTNER', 'XCN', 'DELAYED', ${xcn}e18, 0, 0, ${xcn}e18, '${anAddress('a')}', '${anAddress('b')}',
      1, '${aHash()}', 1, '${aHash()}', ${ethereum.chainId}, ${partner.chainId}, 1, now(), now(), 'FLOAT_SHORT', now())`);
}

describe('GET /contracts', () => {
  it('shows pauses, assets, roles with the owner of the timelock, and every change since the deployment', async () => {
    const shown = await contracts();
    const number = Number(await bridge.ethereum.client.getBlockNumber());
    expect(shown.blocks[0]).toMatchObject({ side: 'ethereum', number, eventsThrough: number });
    expect(shown.pauses).toHaveLength(4);
    expect(shown.pauses.every(({ isPaused, count }) => !isPaused && count === '0')).toBe(true);
    expect(shown.assets).toHaveLength(6);
    expect(shown.assets.find(({ side, asset }) => side === 'partner' && asset === 'ETH')).toMatchObject({
      mayBegin: true,
      mayBeDelivered: true,
      feeBps: 25,
      minimumFee: '3000000000000000',
      collectableFees: null,
      outflowCapacity: '1000000000000000000000',
      outflowRoom: '1000000000000000000000',
    });
    const roles = shown.roles.map(({ side, role, address }) => `${side} ${role} ${address}`);
    expect(roles).toEqual(
      expect.arrayContaining([
        `ethereum owner ${lower(owner.address)}`,
        `partner owner ${lower(owner.address)}`,
        `ethereum treasury ${lower(treasury.address)}`,
        `partner guardian ${lower(guardian.address)}`,
        `partner relayer ${lower(relayer.address)}`,
      ]),
    );
    expect(shown.announced).toEqual([]);
    expect(shown.history.find(({ event }) => event === 'MaxAmountSet')?.arguments).toEqual([
      { name: 'token', value: expect.stringMatching(/^(ETH|USDC|XCN)$/) },
      { name: 'maxAmount', value: expect.stringMatching(/^\d+(\.\d+)? (ETH|USDC|XCN)$/) },
    ]);
  });

  it("shows the guardian's pause with its end and its number", async () => {
    await send(await prepare('pause', { direction: 'ethereum-to-partner' }, guardian), guardian);
    const { pauses, history } = await contracts();
    const paused = pauses.filter(({ isPaused }) => isPaused);
    expect(paused).toMatchObject([
      { side: 'ethereum', what: 'beginnings', direction: 'ETHEREUM_TO_PARTNER', count: '1' },
      { side: 'partner', what: 'deliveries', direction: 'ETHEREUM_TO_PARTNER', until: null, count: '1' },
    ]);
    expect(Date.parse(paused[0]?.until ?? '') - Date.parse(history[0]?.at ?? '')).toBe(7 * 86_400_000);
    expect(history[0]).toMatchObject({ side: 'ethereum', event: 'PauseSet' });

    await delayDeposit('2000000');
    const { alerts } = alertsResponseSchema.parse((await operator.get('/alerts')).body);
    expect(alerts.filter(({ code }) => code === 'Paused')).toMatchObject([
      { sentence: expect.stringMatching(/^BridgeLock on Ethereum is paused: deposits .* stop until 20/) },
      { sentence: expect.stringMatching(/^BridgeMint on the partner chain is paused: deliveries from Ethereum/) },
    ]);
    expect(alerts).toContainEqual(
      expect.objectContaining({
        code: 'DeliveryWaits',
        sentence: expect.stringMatching(/^2,000,000 XCN wait for float in 1 operation: the float has [\d,.]+ XCN\.$/),
        runbook: 'docs/runbook.md#deliverywaits',
      }),
    );
  });

  it('forgets changes in reorganized blocks', async () => {
    await send(await prepare('set-policy', lowered, policyManager), policyManager);
    expect((await contracts()).history.filter(({ event }) => event === 'FeePolicySet')).toHaveLength(4);
    await bridge.partner.test.revert({ id: kept[1] });
    await keepState();
    expect((await contracts()).history.filter(({ event }) => event === 'FeePolicySet')).toHaveLength(3);
  });

  it('is 503 while the nodes of a chain do not answer, and is not affected by one lying node of three', async () => {
    const truth = await contracts();
    const away = await temporaryAdmin({ ...bridge, partner: { ...bridge.partner, url: NO_NODE } });
    const viewer = await away.signedIn('viewer');
    expect(await viewer.get('/contracts')).toMatchObject({ status: 503, body: { error: 'SERVICE_UNAVAILABLE' } });
    await away.close();

    const changeResult = (method: string, result: unknown) => {
      if (method === 'eth_call') return String(result).replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
      if (method === 'eth_simulateV1') return [];
      return method === 'eth_getLogs' ? [] : result;
    };
    const { url } = bridge.partner;
    const liar = await startRpcProxy(url, { changeResult });
    const honest = await startRpcProxy(url, {});
    const nodes = `${liar.url},${url},${honest.url}`;
    const lied = await temporaryAdmin(bridge, { PARTNER_RPC_URLS: nodes, PARTNER_QUORUM: '2' });
    const asked = await lied.signedIn('operator');
    expect(await contracts(asked)).toEqual(truth);
    const body = { command: 'set-policy', options: lowered, account: policyManager.address };
    const [told, known] = [await asked.post(PREPARE, body), await operator.post(PREPARE, body)];
    const parseTransactions = ({ body: answer }: typeof told) => prepareCallResponseSchema.parse(answer).transactions;
    expect(parseTransactions(told)).toEqual(parseTransactions(known));
    await Promise.all([lied.close(), liar.close(), honest.close()]);
  });

  it('splits block ranges and computes calls that the node refuses, with the same result', async () => {
    const { history } = await contracts();
    await bridge.ethereum.test.mine({ blocks: 20 });
    const sizes: number[] = [];
    const changeResult = (method: string, result: unknown, [filter]: readonly unknown[]) => {
      if (method === 'eth_simulateV1') throw new RpcRefusal(-32_602, 'Method not supported');
      if (method !== 'eth_getLogs') return result;
      const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex };
      const blocks = Number(toBlock) - Number(fromBlock) + 1;
      sizes.push(blocks);
      if (blocks > 3) throw new RpcRefusal(-32_602, `a range of ${blocks} blocks is too large`);
      return result;
    };
    const refusing = await startRpcProxy(bridge.ethereum.url, { changeResult });
    const refused = await temporaryAdmin({ ...bridge, ethereum: { ...bridge.ethereum, url: refusing.url } });
    const member = await refused.signedIn('operator');
    const { body } = await member.post(PREPARE, pauseBoth);
    expect(body).toMatchObject({ transactions: [{ isSimulated: false, problem: null }, { isSimulated: true }] });
    const shown = await contracts(member);
    expect(shown.history).toEqual(history);
    expect(shown.blocks[0]?.eventsThrough).toBe(shown.blocks[0]?.number);
    expect(Math.max(...sizes)).toBeGreaterThan(20);
    await refused.close();
    await refusing.close();
  });
});

describe('the other routes', () => {
  it('list the calls of the command line with their options', async () => {
    const { calls } = contractCallsResponseSchema.parse((await operator.get('/contracts/calls')).body);
    expect(calls).toHaveLength(33);
    expect(calls.find(({ command }) => command === 'set-policy')).toMatchObject({
      role: 'policy manager',
      options: [
        { name: 'asset', isRequired: true, choices: ['ETH', 'USDC', 'XCN'], fallback: null },
        { name: 'rate', isRequired: true, choices: null },
        { name: 'min-fee' },
        { name: 'min-amount' },
      ],
    });
  });
});
