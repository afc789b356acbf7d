import type { Backend } from '../../backends/backend.js';
import { defineMethod } from '../define-method.js';
import { forward } from '../forward.js';
import type { Method } from '../method.js';
import { feeSchedule, readFeeSchedule } from '../partner/fee-schedule.js';
import { networkStats } from '../partner/network-stats.js';
import { nodeInfo, readNodeInfo } from '../partner/node-info.js';
import { readNetworkStats } from '../partner/read-network-stats.js';
import { RecentWindow } from '../partner/recent-window.js';
import { validators } from '../partner/validators.js';

/** The partner chain's own methods (spec "Chain-specific methods"). An upstream node that does not know its validators is -32004. */
export function partnerMethods(backend: Backend): readonly Method[] {
  const recent = new RecentWindow(backend);
  return [
    defineMethod({
      name: 'partner_getNodeInfo',
      summary: 'Node information.',
      params: [],
      result: { name: 'nodeInfo', schema: nodeInfo },
      run: () => readNodeInfo(backend),
    }),
    defineMethod({
      name: 'partner_getNetworkStats',
      summary: 'Network statistics of the last blocks.',
      params: [],
      result: { name: 'networkStats', schema: networkStats },
      run: () => readNetworkStats(backend, recent),
    }),
    forward(backend, {
      name: 'partner_getValidators',
      summary: 'Active validators.',
      params: [],
      result: { name: 'validators', schema: validators },
    }),
    defineMethod({
      name: 'partner_getFeeSchedule',
      summary: 'Current fee structure.',
      params: [],
      result: { name: 'feeSchedule', schema: feeSchedule },
      run: () => readFeeSchedule(backend),
    }),
  ];
}
