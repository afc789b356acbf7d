import { quantity } from './quantity.js';

/** What eth_subscribe answers. */
export const subscriptionId = quantity.describe('The id of a subscription, valid on its own connection only.');
