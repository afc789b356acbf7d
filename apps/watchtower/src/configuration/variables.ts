import { serviceVariables } from '@causeway/chain/configuration';
import { namedNodesVariables } from '@causeway/chain/named-nodes';
import { filePath, wholeNumber } from '@causeway/service/configuration';
import { metricsVariables } from '@causeway/service/http';
import { z } from 'zod';
import { pauserVariables } from './pauser-variables.js';

/** How many nodes each chain needs outside `local`: two that agree. */
export const LEAST_NODES = 2;

const shared = serviceVariables.shape;

/** Every environment variable of the watchtower. */
export const watchtowerVariables = z.object({
  ENVIRONMENT: shared.ENVIRONMENT,
  ADDRESS_BOOK: shared.ADDRESS_BOOK,
  ...pauserVariables,
  ...namedNodesVariables(LEAST_NODES),
  ETHEREUM_CONFIRMATIONS: shared.ETHEREUM_CONFIRMATIONS,
  PARTNER_CONFIRMATIONS: shared.PARTNER_CONFIRMATIONS,
  MAX_FEE_GWEI: wholeNumber(1).default(500).describe('Maximum fee per gas of a pause, in gwei.'),
  DATA_DIRECTORY: filePath('a directory')
    .default('.causeway/watchtower')
    .describe('Directory of what was read from the chains, so that a restart does not read it again.'),
  ...metricsVariables,
  LOG_LEVEL: shared.LOG_LEVEL,
});
