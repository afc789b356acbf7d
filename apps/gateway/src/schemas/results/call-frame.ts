import { z } from 'zod';
import { address } from '../address.js';
import { data } from '../data.js';
import { quantity } from '../quantity.js';

/** One message of a transaction and the messages it led to (callTracer). */
export const callFrame = z
  .looseObject({
    type: z.string().describe('CALL, CALLCODE, CREATE, CREATE2, DELEGATECALL, STATICCALL or SELFDESTRUCT.'),
    from: address,
    to: address.nullish().describe('The contract that ran or came into being; missing when a creation failed.'),
    value: quantity.nullish().describe('Wei; missing where nothing can be sent.'),
    gas: quantity,
    gasUsed: quantity,
    input: data,
    output: data.nullish(),
    error: z.string().nullish(),
    revertReason: z.string().nullish(),
    get calls() {
      return z.array(callFrame).optional();
    },
  })
  .meta({
    id: 'CallFrame',
    title: 'call frame',
    description: 'One message of a transaction and the messages it led to.',
  });
