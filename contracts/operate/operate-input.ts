import type { Address } from 'viem';
import type { DeployTarget } from '../deploy/deploy-target.js';
import type { ChainName } from './chain-name.js';
import type { OperatorCall } from './operator-call.js';

/** What an operator wants done, and by whom. */
export interface OperateInput {
  readonly calls: readonly OperatorCall[];
  /** Who makes the calls. */
  readonly account: Address;
  /** Of the chains that the calls go to. */
  readonly clients: Readonly<Partial<Record<ChainName, DeployTarget['client']>>>;
  /** The wallets of that account; left out, nothing is sent: a dry run. */
  readonly wallets?: Readonly<Partial<Record<ChainName, DeployTarget['wallet']>>>;
  /** Hears what would be sent, and what was. */
  readonly onLine: (line: string) => void;
}
