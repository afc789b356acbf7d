import { shiftClock } from '@causeway/test-kit';
import { Traffic } from '../traffic.js';
import type { Fault } from './fault.js';

const CALLS_PER_SECOND = 20;
const GATEWAYS = ['gateway-1', 'gateway-2'];
const CLOCK_AHEAD_MS = 40_000;

/** Faults of processes, their nodes and their machines. */
export const PROCESS_FAULTS: readonly Fault[] = [
  {
    name: 'an API is killed',
    alerts: ['ProcessDown'],
    isIndependent: true,
    inject: async ({ fleet }) => {
      await fleet.processes.kill('api-3');
      return async () => fleet.start('api-3');
    },
  },
  {
    name: 'both relayers are killed',
    alerts: ['NoActiveRelayer', 'ServiceAway'],
    inject: async (drill) => {
      await drill.fleet.processes.kill('relayer-1');
      await drill.fleet.processes.kill('relayer-2');
      return async () => drill.restartRelayers();
    },
  },
  {
    name: 'the node behind the gateways hangs',
    alerts: ['GatewayNodeUnusable', 'GatewayErrors'],
    inject: async (drill) => {
      const traffic = new Traffic(await drill.requestsTo('gateway-1'), CALLS_PER_SECOND);
      drill.fleet.processes.signal('partner-node', 'SIGSTOP');
      return async () => {
        drill.fleet.processes.signal('partner-node', 'SIGCONT');
        await traffic.stop();
      };
    },
  },
  {
    name: 'the relayers have no key, and the gateways have low limits for such clients',
    alerts: ['Throttled'],
    inject: async (drill) => {
      const { fleet } = drill;
      await drill.restartRelayers({ PARTNER_RPC_URLS: fleet.gatewayUrl });
      for (const name of GATEWAYS) {
        await fleet.processes.kill(name);
        await fleet.start(name, { RATE_LIMIT_PER_SECOND: '2' });
      }
      return async () => {
        // Restores the key in their variables.
        await drill.restartRelayers();
        for (const name of GATEWAYS) await fleet.killAndRestart(name);
      };
    },
  },
  {
    name: 'the clock of a process is wrong',
    alerts: ['ClockOff', 'ClockWrong'],
    inject: async ({ fleet }) => {
      // A process with a wrong clock at the start would not start.
      const shift = shiftClock(CLOCK_AHEAD_MS, 'SIGUSR2');
      await fleet.processes.kill('api-2');
      await fleet.start('api-2', { NODE_OPTIONS: shift.join(' ') });
      const found = fleet.processes.list().find(({ name }) => name === 'api-2');
      process.kill(found?.pid ?? 0, 'SIGUSR2');
      return async () => fleet.killAndRestart('api-2');
    },
  },
];
