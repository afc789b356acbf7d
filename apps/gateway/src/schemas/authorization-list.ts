import { z } from 'zod';
import { address } from './address.js';
import { listOf } from './list-of.js';
import { quantity64 } from './quantity-64.js';
import { quantity } from './quantity.js';

/** More than a call's gas could pay for: 25,000 for each (EIP-7702), of 2^24 at most. */
const MOST = 1_000;

const authorization = z.looseObject(
  { chainId: quantity, address, nonce: quantity64, yParity: quantity, r: quantity, s: quantity },
  'must be an object',
);

/** Accounts that let themselves be run by a contract's code (EIP-7702). */
export const authorizationList = listOf(authorization, MOST, 'must be an array of at most 1,000 authorizations').meta({
  id: 'AuthorizationList',
  title: 'authorization list',
  description: 'Signed authorizations of accounts to run the code of a contract (EIP-7702).',
});
