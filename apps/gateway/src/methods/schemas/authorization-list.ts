import { z } from 'zod';
import { address } from './address.js';
import { quantity64 } from './quantity-64.js';
import { quantity } from './quantity.js';

const authorization = z.looseObject(
  { chainId: quantity, address, nonce: quantity64, yParity: quantity, r: quantity, s: quantity },
  'must be an object',
);

/** Accounts that let themselves be run by a contract's code (EIP-7702). */
export const authorizationList = z.array(authorization, 'must be an array of authorizations').meta({
  id: 'AuthorizationList',
  title: 'authorization list',
  description: 'Signed authorizations of accounts to run the code of a contract (EIP-7702).',
});
