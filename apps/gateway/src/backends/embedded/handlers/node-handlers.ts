import type { PartnerChain } from '@causeway/partner-chain';
import { quantity } from '../format/quantity.js';
import type { Handlers } from './handlers.js';

/** Facts of the chain and of the node. */
export function nodeHandlers({ options }: PartnerChain, clientVersion: string): Handlers {
  return {
    eth_chainId: () => quantity(options.chainId),
    net_version: () => String(options.chainId),
    // There is nobody to catch up with: this node makes the blocks.
    eth_syncing: () => false,
    web3_clientVersion: () => clientVersion,
    partner_getValidators: () => [{ address: options.validator, active: true }],
  };
}
