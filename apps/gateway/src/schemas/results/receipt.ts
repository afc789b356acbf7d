import { z } from 'zod';
import { address } from '../address.js';
import { hash } from '../hash.js';
import { quantity64 } from '../quantity-64.js';
import { quantity } from '../quantity.js';
import { headerFields } from './header-fields.js';
import { log } from './log.js';

/** What came of a transaction. */
export const receipt = z
  .looseObject({
    type: quantity64,
    transactionHash: hash,
    transactionIndex: quantity64,
    blockHash: hash,
    blockNumber: quantity64,
    from: address,
    to: address.nullable().describe('Null for the creation of a contract.'),
    contractAddress: address.nullable().describe('The contract that was created, or null.'),
    status: z.enum(['0x0', '0x1']).describe('0x1 for success, 0x0 for failure.'),
    gasUsed: quantity64,
    cumulativeGasUsed: quantity64.describe('Gas of the block up to and with this transaction.'),
    effectiveGasPrice: quantity.describe('Wei paid for a unit of gas.'),
    logs: z.array(log),
    logsBloom: headerFields.logsBloom,
  })
  .meta({ id: 'Receipt', title: 'receipt', description: 'What came of a transaction in a block.' });
