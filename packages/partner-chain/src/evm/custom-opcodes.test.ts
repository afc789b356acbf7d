import { expect, it } from '@jest/globals';
import { EVM } from '@ethereumjs/evm';
import { createZeroAddress } from '@ethereumjs/util';
import fc from 'fast-check';
import { bytesToHex, concat, hexToBytes, numberToHex, type Hex } from 'viem';
import { WorldState } from '../state/world-state.js';
import { copyOpcodes } from './custom-opcodes.js';
import { createCommon } from './common.js';

const common = createCommon(8901);
const stateManager = new WorldState({
  account: () => undefined,
  slot: () => new Uint8Array(0),
  code: () => new Uint8Array(0),
});
await stateManager.putCode(
  createZeroAddress(),
  Uint8Array.from({ length: 150 }, (_, index) => index + 1),
);
const before = new EVM({ common, stateManager });
const after = new EVM({ common, stateManager, customOpcodes: copyOpcodes(common) });

const push = (value: bigint): Hex => concat(['0x7f', numberToHex(value, { size: 32 })]);

it('copies what EthereumJS copies, for the same gas', async () => {
  const place = fc.oneof(
    fc.bigInt({ min: 0n, max: 300n }),
    fc.constantFrom(2n ** 32n, 2n ** 53n, 2n ** 64n, 2n ** 256n - 1n),
  );
  const copy = fc.record({
    opcode: fc.constantFrom<Hex>('0x37', '0x39', '0x3c'),
    to: fc.oneof(fc.bigInt({ min: 0n, max: 200n }), fc.constant(2n ** 255n)),
    from: place,
    length: fc.oneof(fc.bigInt({ min: 0n, max: 300n }), fc.constant(2n ** 40n)),
  });
  const property = fc.asyncProperty(
    fc.array(copy, { maxLength: 4 }),
    fc.uint8Array({ maxLength: 200 }),
    async (copies, data) => {
      const copying = copies.map(({ opcode, to, from, length }) =>
        concat([push(length), push(from), push(to), ...(opcode === '0x3c' ? [push(0n)] : []), opcode]),
      );
      // Returns the whole memory.
      const code = hexToBytes(concat([...copying, '0x595ff3']));
      const run = async (evm: EVM) => {
        const { returnValue, executionGasUsed, exceptionError } = await evm.runCode({
          code,
          data,
          gasLimit: 10_000_000n,
        });
        return { memory: bytesToHex(returnValue), executionGasUsed, error: exceptionError?.error };
      };
      expect(await run(after)).toEqual(await run(before));
    },
  );
  await fc.assert(property, { numRuns: 500 });
});
