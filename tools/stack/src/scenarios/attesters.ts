import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { PlayedAttester } from '@causeway/testbed';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Side } from '../stack.js';
import type { Bench } from './bench.js';
import { getBridge, restartRelayer, type Lift } from './conditions.js';

const MEMBERS = 3;
const THRESHOLD = 2n;

/** Attesters that a contract requires but that do not run. */
interface Demand {
  readonly keys: readonly Hex[];
  readonly lift: Lift;
}

/** Makes the contract of a chain require signatures of new attesters, by the admin. */
export async function demandAttesters(bench: Bench, chain: Side): Promise<Demand> {
  const keys = Array.from({ length: MEMBERS }, generatePrivateKey);
  const members = keys.map(privateKeyToAddress).toSorted((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1));
  const set = async (attesters: readonly Address[], threshold: bigint) => {
    const { accounts, [chain]: clients } = bench.environment;
    const admin = clients.getWallet(accounts.deployer);
    const call = { ...getBridge(bench, chain), functionName: 'setAttesters', args: [attesters, threshold] } as const;
    await bench.mined(chain, await admin.writeContract(call));
  };
  await set(members, THRESHOLD);
  return { keys, lift: async () => set([], 0n) };
}

/** Makes the contract of a chain require attesters, all of which refuse every delivery. */
export async function refuseByAttesters(bench: Bench, chain: Side): Promise<Lift> {
  const attestPort = await findPort();
  await bench.environment.restartRelayer({ ATTEST_PORT: `${attestPort}` });
  const { keys, lift: stopAsking } = await demandAttesters(bench, chain);
  const attesters = keys.map(
    (privateKey) =>
      new PlayedAttester(`http://127.0.0.1:${attestPort}`, { privateKey }, () => ({
        kind: 'REFUSE',
        reason: 'PLAYED',
        why: 'This attester refuses every delivery.',
      })),
  );
  return async () => {
    await Promise.all(attesters.map((attester) => attester.stop()));
    await stopAsking();
    await restartRelayer(bench);
  };
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
