import { z } from 'zod';
import { address } from './address.js';
import { hash } from './hash.js';
import { listOf } from './list-of.js';

/** More than a call's gas could pay for: 1,900 for a slot, 2,400 for an address (EIP-2930), of 2^24 at most. */
const MOST = 10_000;

const entry = z.looseObject(
  { address, storageKeys: listOf(hash, MOST, 'must be an array of at most 10,000 storage keys') },
  'must be an object',
);

/** An access list (EIP-2930). */
export const accessList = listOf(entry, MOST, 'must be an array of at most 10,000 { address, storageKeys }').meta({
  id: 'AccessList',
  title: 'access list',
  description: 'Addresses and storage slots a transaction names (EIP-2930).',
});
