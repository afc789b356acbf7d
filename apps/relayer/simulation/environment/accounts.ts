import { readFileSync } from 'node:fs';
import { concatHex, keccak256, numberToHex, parseAbi, type Hex } from 'viem';

// The code of users' contract accounts: compiled for smart accounts, handwritten for the others.

interface Compiled {
  readonly deployedBytecode: Hex;
}

const COMPILED = JSON.parse(
  readFileSync(new URL('../../../../contracts/generated/test-accounts.json', import.meta.url), 'utf8'),
) as { readonly OpenAccount: Compiled; readonly OpenEntryPoint: Compiled };

/** An account whose code decides what it signs, and which pays by its own calls. Anyone can use it. */
export const SMART_ACCOUNT = COMPILED.OpenAccount.deployedBytecode;
/** Calls each account of a bundle (ERC-4337). A failing one does not affect the others. */
export const ENTRY_POINT_CODE = COMPILED.OpenEntryPoint.deployedBytecode;
/**
 * Forwards the coin of each message: it copies the data after the first word, calls the address in that word with the
 * value, and reverts when that fails. A payment to the relayer wallet is then an internal call of a transaction to
 * another account.
 */
export const FORWARDER_CODE: Hex = '0x602036038060205f375f5f825f345f355af16018575f5ffd5b00';
/** Sends the coin of each message to the address in its data, and then reverts. */
export const REGRETFUL_CODE: Hex = '0x5f5f5f5f345f355af15f5ffd';
/** Self-destructs with each message: its coin goes to the address in the data, and no message shows that. */
export const ENDING_CODE: Hex = '0x5f35ff';

export const smartAccountAbi = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
  'function revokeSignatures()',
  'function execute(address to, uint256 value, bytes data)',
]);

export const entryPointAbi = parseAbi(['function handleOps(address[] accounts, bytes[] calls)']);

/** A signature that a smart account accepts (ERC-1271) until it has revoked signatures more often than this. */
export function smartSignature(digest: Hex, revocations = 0): Hex {
  return keccak256(concatHex([digest, numberToHex(revocations, { size: 32 })]));
}
