import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesToHex, hashTypedData } from 'viem';
import { reservesDigest } from './statement.js';

const hex = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => bytesToHex(bytes));
const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const asset = fc.record({
  asset: fc.string({ unit: 'binary' }),
  locked: word,
  supply: word,
  held: word,
  inFlight: word,
  fees: word,
});
const statement = fc.record({
  day: word,
  previous: hex(32),
  ethereumBlock: word,
  ethereumHash: hex(32),
  partnerBlock: word,
  partnerHash: hex(32),
  assets: fc.array(asset, { maxLength: 4 }),
});
const fields = (text: string) =>
  text.split(',').map((field) => {
    const [type = '', name = ''] = field.split(' ');
    return { type, name };
  });

it('computes the digest of a statement as EIP-712 does', () => {
  const types = {
    Reserves: fields(
      'uint256 day,bytes32 previous,uint256 ethereumBlock,bytes32 ethereumHash,uint256 partnerBlock,bytes32 partnerHash,AssetReserves[] assets',
    ),
    AssetReserves: fields('string asset,uint256 locked,uint256 supply,uint256 held,uint256 inFlight,uint256 fees'),
  };
  fc.assert(
    fc.property(statement, fc.nat(), hex(20), (message, chainId, contract) => {
      const domain = { name: 'Causeway', version: '1', chainId, verifyingContract: contract };
      const expected = hashTypedData({ domain, types, primaryType: 'Reserves', message });
      expect(reservesDigest(message, { chainId, contract })).toBe(expected);
    }),
    { numRuns: 30 },
  );
});
