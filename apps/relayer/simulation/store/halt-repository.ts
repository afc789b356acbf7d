import { HaltChangedError, type Halt } from '@causeway/store';
import type { Hex } from 'viem';
import { findBroken, rollBackTo } from './chain-data.ts';
import { sortedBy, type MemoryDatabase } from './memory-database.ts';
import type { Simulated } from './steps.ts';

/** The halts of chains and of deliveries. */
export function haltRepository(database: MemoryDatabase): Simulated<'halts'> {
  const { cursors, events } = database;
  const lift = ({ chainId, since }: Halt): void => {
    if (cursors.get(chainId)?.haltedAt?.getTime() !== since.getTime()) throw new HaltChangedError(`chain ${chainId}`);
    cursors.update(chainId, { haltedAt: null, haltedReason: null });
    database.wake('operator');
  };
  return {
    list: () => {
      const halts: Halt[] = [];
      for (const { chainId, haltedAt: since, haltedReason } of cursors.all())
        if (since !== null) halts.push({ chainId, since, reason: haltedReason ?? '' });
      return sortedBy(halts, ({ chainId }) => [chainId]);
    },
    halt: (chainId, reason) => {
      database.wake('operator');
      if (cursors.get(chainId)?.haltedAt !== null) return false;
      cursors.update(chainId, { haltedAt: database.date(), haltedReason: reason });
      return true;
    },
    lift,
    brokenAfter: (chainId, ancestor) => findBroken(database, chainId, ancestor) as Hex[],
    liftAndRollBack: (halt, ancestor) => {
      lift(halt);
      rollBackTo(database, halt.chainId, ancestor);
    },
    deliveries: () => {
      for (const { deliveriesHaltedAt: since, deliveriesHaltedReason } of cursors.all())
        if (since !== null) return { since, reason: deliveriesHaltedReason ?? '' };
      return null;
    },
    haltDeliveries: (reason) => {
      const running = cursors.filter(({ deliveriesHaltedAt }) => deliveriesHaltedAt === null);
      const halt = { deliveriesHaltedAt: database.date(), deliveriesHaltedReason: reason };
      for (const { chainId } of running) cursors.update(chainId, halt);
      return running.length > 0;
    },
    liftDeliveries: ({ since }, looked) => {
      const halted = cursors.filter(({ deliveriesHaltedAt }) => deliveriesHaltedAt?.getTime() === since.getTime());
      if (halted.length === 0) throw new HaltChangedError('the deliveries');
      for (const { chainId } of halted)
        cursors.update(chainId, { deliveriesHaltedAt: null, deliveriesHaltedReason: null });
      database.wake('operator');
      for (const { chainId, txHash, logIndex } of looked)
        for (const event of events.filter(
          (each) => each.chainId === chainId && each.txHash === txHash && each.logIndex === logIndex,
        ))
          if (event.verdict === 'UNKNOWN') events.judge(event, 'ACCEPTED');
    },
  };
}
