import { concatHex, keccak256, numberToHex, parseAbi, size, sliceHex, type Address, type Hex } from 'viem';
import { abiContract } from '../chain/abi-contract.ts';
import { Revert, type Contract } from '../chain/execution.ts';

/** An account that takes no coin: PUSH0 PUSH0 REVERT. */
export const refuser: Contract = {
  code: '0x5f5ffd',
  run: () => {
    throw new Revert();
  },
};

/**
 * An account that sends the coin of each message on: its data is a word with an address, and then the data to send. So
 * a payment to the relayer wallet is inside a transaction to somebody else, as smart accounts send it.
 */
export const forwarder: Contract = {
  // Copies the data after the first word, calls the address in that word with the value, and reverts when that fails.
  code: '0x602036038060205f375f5f825f345f355af16018575f5ffd5b00',
  run: (frame, data) => {
    if (size(data) < 32) throw new Revert();
    const to = sliceHex(data, 12, 32).toLowerCase() as Address;
    const rest: Hex = size(data) > 32 ? sliceHex(data, 32) : '0x';
    if (!frame.call(to, frame.value, rest).succeeded) throw new Revert();
    return '0x';
  },
};

/** An account that sends the coin of each message to the address in its data, and then takes that back. */
export const regretful: Contract = {
  code: '0x5f5f5f5f345f355af15f5ffd',
  run: (frame, data) => {
    frame.call(sliceHex(data, 12, 32).toLowerCase() as Address, frame.value);
    throw new Revert();
  },
};

/** The functions of a simulated smart account. */
export const smartAccountAbi = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
  'function revokeSignatures()',
  'function execute(address to, uint256 value, bytes data)',
]);

const ACCEPTED = '0x1626ba7e';
const REFUSED = '0xffffffff';

/** A signature that a smart account accepts (ERC-1271) until it has revoked signatures more often than this. */
export function smartSignature(digest: Hex, revocations = 0): Hex {
  return keccak256(concatHex([digest, numberToHex(revocations, { size: 32 })]));
}

/** An account whose code decides what it signs, and which pays by calls of its own. Everybody may use it. */
export const smartAccount = receiving(
  abiContract(smartAccountAbi, {
    isValidSignature: {
      run: (frame, [digest, signature]) =>
        signature === smartSignature(digest as Hex, frame.read('revocations', 0)) ? ACCEPTED : REFUSED,
    },
    revokeSignatures: {
      gas: 45_000n,
      run: (frame) => frame.write('revocations', frame.read('revocations', 0) + 1),
    },
    execute: {
      gas: 60_000n,
      run: (frame, [to, value, data]) => {
        if (!frame.call(to as Address, value as bigint, data as Hex).succeeded) throw new Revert();
      },
    },
  }),
);

/** The function of the entry point: a bundle with a call of each of some accounts (ERC-4337). */
export const entryPointAbi = parseAbi(['function handleOps(address[] accounts, bytes[] calls)']);

/** Calls each account of a bundle. One that fails holds up no other. */
export const entryPoint = abiContract(entryPointAbi, {
  handleOps: {
    gas: 200_000n,
    run: (frame, [accounts, calls]) => {
      for (const [index, account] of (accounts as readonly Address[]).entries())
        frame.call(account, 0n, (calls as readonly Hex[])[index] ?? '0x');
    },
  },
});

/** A contract that ends with each message: its coin goes to the address in the data, and no message shows that. */
export const ending: Contract = {
  code: '0x5f35ff',
  run: (frame, data) => {
    frame.endInto(sliceHex(data, 12, 32).toLowerCase() as Address);
    return '0x';
  },
};

/** A contract that takes plain transfers of coin as well. */
function receiving({ code, run }: Contract): Contract {
  return { code, run: (frame, data) => (data === '0x' ? '0x' : run(frame, data)) };
}
