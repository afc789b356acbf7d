import { z } from 'zod';
import { address } from './address.js';
import { hash } from './hash.js';

const entry = z.looseObject(
  { address, storageKeys: z.array(hash, 'must be an array of storage keys') },
  'must be an object',
);

/** An access list (EIP-2930). */
export const accessList = z.array(entry, 'must be an array of { address, storageKeys }').meta({
  id: 'AccessList',
  title: 'access list',
  description: 'Addresses and storage slots a transaction names (EIP-2930).',
});
