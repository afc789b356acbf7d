import { address } from '../address.js';
import { data } from '../data.js';
import { hash } from '../hash.js';
import { hexText } from '../hex-text.js';
import { quantity64 } from '../quantity-64.js';
import { quantity } from '../quantity.js';

const bloom = hexText('0x[0-9a-fA-F]{512}', 'must be 256 bytes').meta({
  id: 'Bloom',
  title: 'bloom filter',
  description: 'The 2048-bit bloom filter of addresses and topics of logs.',
});

/** The fields of a header. Those of later forks are there when the chain has them. */
export const headerFields = {
  hash,
  parentHash: hash,
  sha3Uncles: hash,
  miner: address,
  stateRoot: hash,
  transactionsRoot: hash,
  receiptsRoot: hash,
  logsBloom: bloom,
  difficulty: quantity,
  number: quantity64,
  gasLimit: quantity64,
  gasUsed: quantity64,
  timestamp: quantity64.describe('Seconds since 1970.'),
  extraData: data,
  mixHash: hash,
  nonce: hexText('0x[0-9a-fA-F]{16}', 'must be 8 bytes'),
  baseFeePerGas: quantity.optional().describe('Wei (EIP-1559).'),
  withdrawalsRoot: hash.optional(),
  blobGasUsed: quantity64.optional(),
  excessBlobGas: quantity64.optional(),
  parentBeaconBlockRoot: hash.optional(),
  requestsHash: hash.optional(),
};
