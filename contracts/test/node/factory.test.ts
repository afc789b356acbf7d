import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startAnvil, type Anvil } from '@causeway/test-kit';
import { createPublicClient, custom, RpcRequestError, type Hex } from 'viem';
import {
  computeSaltAddress,
  DETERMINISTIC_PROXY,
  ensureFactory,
  FACTORY_ADDRESS,
  findFactory,
} from '../../deploy/factory.js';
import { bridgeFactoryAbi } from '../../generated/abi.js';
import { deployer, owner, makeTarget } from './fixtures.js';

let anvil: Anvil;
let target: ReturnType<typeof makeTarget>;
let fresh: Hex;
const silent = () => undefined;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 8_901 });
  target = makeTarget(anvil);
  fresh = await target.cheat.snapshot();
});

beforeEach(async () => {
  await target.cheat.revert({ id: fresh });
  fresh = await target.cheat.snapshot();
});

afterAll(async () => anvil?.stop());

/** A node that refuses transactions without a chain id, like the partner chain, or does not answer. */
function refusing(error: (body: { method: string }) => Error): typeof target {
  const request = async (body: { method: string; params?: unknown }) => {
    if (body.method === 'eth_sendRawTransaction') throw error(body);
    return target.client.request(body as never);
  };
  const client = createPublicClient({ chain: anvil.chain, transport: custom({ request }, { retryCount: 0 }) });
  return { ...target, client };
}

const refused = (body: { method: string }) =>
  new RpcRequestError({ body, url: '', error: { code: -32_000, message: 'no chain id' } });

describe('ensureFactory', () => {
  it('deploys proxy and factory at their usual addresses on a chain without them', async () => {
    await target.cheat.setCode({ address: DETERMINISTIC_PROXY, bytecode: '0x' });
    await target.cheat.setNonce({ address: DETERMINISTIC_PROXY, nonce: 0 });
    expect(await ensureFactory(target, undefined, silent)).toBe(FACTORY_ADDRESS);
    expect(await target.client.getCode({ address: DETERMINISTIC_PROXY })).toMatch(/^0x7fff/);
    expect(await ensureFactory(makeTarget(anvil, owner), undefined, silent)).toBe(FACTORY_ADDRESS);
  });

  it('deploys a separate factory where the proxy is refused, and finds it again', async () => {
    await target.cheat.setCode({ address: DETERMINISTIC_PROXY, bytecode: '0x' });
    const steps: string[] = [];
    const address = await ensureFactory(refusing(refused), undefined, (step) => steps.push(step));
    expect(address).not.toBe(FACTORY_ADDRESS);
    expect(steps.join()).toContain(address);
    expect(await ensureFactory(refusing(refused), undefined, silent)).toBe(address);
    expect(await ensureFactory(refusing(refused), address, silent)).toBe(address);
  });

  it('is found without sending anything, deployed or not', async () => {
    expect(await findFactory(target, undefined)).toEqual({ address: FACTORY_ADDRESS, exists: false });
    await target.cheat.setCode({ address: DETERMINISTIC_PROXY, bytecode: '0x' });
    const address = await ensureFactory(refusing(refused), undefined, silent);
    const before = await target.client.getTransactionCount({ address: deployer.address });
    expect(await findFactory(target, undefined)).toEqual({ address, exists: true });
    expect(await findFactory(target, address)).toEqual({ address, exists: true });
    expect(await target.client.getTransactionCount({ address: deployer.address })).toBe(before);
  });

  it('throws when the node does not answer', async () => {
    await target.cheat.setCode({ address: DETERMINISTIC_PROXY, bytecode: '0x' });
    const before = await target.client.getTransactionCount({ address: deployer.address });
    await expect(
      ensureFactory(
        refusing(() => new Error('gone')),
        undefined,
        silent,
      ),
    ).rejects.toThrow('gone');
    const busy = (body: { method: string }) =>
      new RpcRequestError({ body, url: '', error: { code: -32_005, message: 'too many requests' } });
    await expect(ensureFactory(refusing(busy), undefined, silent)).rejects.toThrow(/too many requests/);
    // Only the payment to the proxy's signer was sent.
    const after = await target.client.getTransactionCount({ address: deployer.address });
    expect(after - before).toBeLessThanOrEqual(1);
  });

  it('refuses another contract at its address', async () => {
    await expect(ensureFactory(target, DETERMINISTIC_PROXY, silent)).rejects.toThrow(/is not the factory's/);
  });

  it('computes the same addresses as the factory', async () => {
    const factory = await ensureFactory(target, undefined, silent);
    const salt: Hex = `0x${'5a'.repeat(32)}`;
    const contract = { address: factory, abi: bridgeFactoryAbi, functionName: 'addressOf' } as const;
    const given = await target.client.readContract({ ...contract, args: [deployer.address, salt] });
    expect(computeSaltAddress(factory, deployer.address, salt)).toBe(given);
  });
});
