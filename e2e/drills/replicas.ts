import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAmount } from '@causeway/protocol';
import { makeTables } from '@causeway/testbed';
import { Link } from '../chaos/network/link.ts';
import { Bed } from './bed.ts';
import { Cluster } from './cluster.ts';
import type { Drill, DrillInput, Outcome } from './drill.ts';
import { countWaits, reconcile, resume, untilItWaits } from './reconcile.ts';

const IN_FLIGHT = 8;
const LATER = 8;

/** A primary, its asynchronous replica, and the addresses that lead to them. */
interface Replicas {
  readonly primary: Cluster;
  readonly replica: Cluster;
  /** The address that the services use. */
  readonly address: Link;
  /** Through which the replica follows. */
  readonly following: Link;
}

/** An asynchronous replica that is some seconds behind is promoted under the same address. */
export const promotedReplica: Drill = {
  goal: 'what the replica lacked',
  run: async (input) => underReplicas(input, promote),
};

/** The former primary returns under the address, without what its successor has done. */
export const formerPrimary: Drill = {
  goal: 'open intents of the successor',
  run: async (input) => underReplicas(input, comeBack),
};

async function promote(bed: Bed, { primary, replica, address, following }: Replicas): Promise<string> {
  const { traffic } = bed;
  await traffic.mix(IN_FLIGHT);
  await primary.untilFollowed();
  following.set('cut');
  const behindAtMs = performance.now();
  await traffic.intent(parseAmount('XCN', '6004'), 'forgotten');
  await traffic.mix(LATER);
  await traffic.untilEnded();
  await traffic.mix(IN_FLIGHT, 'on chain');
  const waits = countWaits(bed);
  const seconds = Math.round((performance.now() - behindAtMs) / 1_000);
  await primary.kill();
  bed.lose(`the primary is lost; the replica is ${seconds} s behind`);
  await replica.promote();
  moveTo(address, replica);
  await untilItWaits(bed, waits);
  await reconcile(bed);
  await resume(bed);
  await bed.back();
  return `${seconds} s`;
}

async function comeBack(bed: Bed, { primary, replica, address }: Replicas): Promise<string> {
  const { environment, traffic } = bed;
  await traffic.mix(IN_FLIGHT);
  await primary.untilFollowed();
  await primary.kill();
  bed.say('the primary is lost; the replica, which has all, is promoted under the same address');
  await replica.promote();
  moveTo(address, replica);
  await traffic.untilEnded();
  const servedAtMs = performance.now();
  await traffic.intent(parseAmount('XCN', '6004'), 'forgotten');
  await traffic.mix(LATER);
  await traffic.untilEnded();
  await traffic.mix(IN_FLIGHT, 'on chain');
  const seconds = Math.round((performance.now() - servedAtMs) / 1_000);
  await replica.kill();
  bed.lose('the successor is lost, the former primary returns, and a relayer is started');
  await environment.killRelayer();
  await primary.start();
  moveTo(address, primary);
  const waits = countWaits(bed);
  await environment.restartRelayer();
  await untilItWaits(bed, waits);
  await reconcile(bed);
  await resume(bed);
  await bed.back();
  return `${seconds} s`;
}

async function underReplicas(
  input: DrillInput,
  work: (bed: Bed, replicas: Replicas) => Promise<string>,
): Promise<Outcome> {
  let replicas: Replicas | undefined;
  return Bed.under(
    input,
    {},
    async (bed) => {
      if (replicas === undefined) throw new Error('The replicas were not made');
      const { address, following } = replicas;
      bed.atEnd(async () => Promise.all([address.close(), following.close()]));
      return work(bed, replicas);
    },
    async (environment) => {
      const folder = join(environment.options.directory, 'clusters');
      mkdirSync(folder, { mode: 0o755 });
      const primary = await Cluster.create('primary', folder, environment.processes);
      const following = await Link.to(primary.port);
      const replica = await primary.replicate('replica', folder, following.port);
      const address = await Link.to(primary.port);
      replicas = { primary, replica, address, following };
      const url = Object.assign(new URL(primary.url), { port: `${address.port}` }).href;
      await makeTables(url);
      await environment.useDatabase(url);
      await environment.restartRelayer();
    },
  );
}

/** Moves an address to another server, as a virtual IP address does. */
function moveTo(address: Link, { port }: Cluster): void {
  address.set('cut');
  address.retarget(port);
  address.set('open');
}
