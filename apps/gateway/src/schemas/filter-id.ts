import { quantity } from './quantity.js';

/** What eth_newFilter and its like answer. */
export const filterId = quantity.describe('The id of a filter, known to this gateway process only.');
