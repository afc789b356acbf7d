import { z } from 'zod';
import { address } from '../../schemas/address.js';

/** The result of partner_getValidators. */
export const validators = z
  .array(z.strictObject({ address, active: z.boolean() }))
  .meta({ id: 'Validators', title: 'validators', description: 'Who makes the chain’s blocks.' });
