import { z } from 'zod';
import { addressFilter } from './address-filter.js';
import { topicFilter } from './topic-filter.js';

const fields = {
  address: addressFilter,
  topics: topicFilter,
  blockHash: z.null('is not offered here; use eth_getLogs').optional(),
};

/** What follows the name of a subscription: for logs, which; otherwise nothing, or `false` as clients send it (no full transactions). */
export const subscribedLogs = z
  .preprocess(
    (value) => (value === false ? undefined : value),
    z.object(fields, 'must be an object, for logs only').optional(),
  )
  .transform((value) => ({
    ...(value?.address === undefined ? {} : { address: value.address }),
    ...(value?.topics === undefined ? {} : { topics: value.topics }),
  }))
  .describe(
    'For logs: which contracts and topics; all when left out. A range of blocks is ignored: a subscription tells what is new.',
  );
