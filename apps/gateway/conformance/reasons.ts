import type { Hex } from 'viem';
import type { Difference } from './compare.ts';

/** A request of the suite, and the blocks that the request or response names. */
export interface Answered {
  readonly method: string;
  readonly isGenesis: boolean;
  /** Whether the block is from before the Osaka fork of the suite's chain. */
  readonly isOld: boolean;
  readonly hasBlobs: boolean;
}

type Test = (difference: Difference, answered: Answered) => boolean;

const NOT_OFFERED = new Set([-32004, -32601]);
const GAS_CAP = 2n ** 24n;
const GWEI = 10n ** 9n;
/** The minimum base fee of the suite's head, and the minimum fee of a transaction in units. */
const [MILLION, LEAST_FEE] = [10n ** 6n, 21_000n];

/** The suite's error codes, with the codes of our specification for them. */
const CODES: Readonly<Record<number, readonly number[]>> = {
  3: [-32000],
  [-32000]: [-32001, -32602],
  [-32602]: [-32602],
  [-32603]: [-32602],
  [-38010]: [-32602],
  [-38011]: [-32602],
  [-38012]: [-32602],
  [-38013]: [-32003],
  [-38014]: [-32003],
  [-38020]: [-32602],
  [-38021]: [-32602],
  [-38026]: [-32602],
};

const isLast = (keys: string): Test => {
  const pattern = new RegExp(`(?:^|\\.)(?:${keys})$`);
  return ({ path }) => pattern.test(path);
};
const isSimulated: Test = (_difference, { method }) => method === 'eth_simulateV1';
const all =
  (...tests: readonly Test[]): Test =>
  (difference, answered) =>
    tests.every((test) => test(difference, answered));
/** Whether our response is an error with this message. */
const isRefused =
  (words: RegExp): Test =>
  ({ path, expected, actual }) =>
    path === 'error' && expected === undefined && words.test((actual as { message: string }).message);

const STATE = 'roots of the state: fees are another amount, so balances differ';
const HEADERS = 'hash and size of a header follow from its fields';
const SIMULATED = 'hashes of simulated transactions: at most 2^24 gas (EIP-7825), and amounts in our decimals';

/** Reasons that concern only hashes. A pair without other differences is equal. */
export const MUST_DIFFER: ReadonlySet<string> = new Set([STATE, HEADERS, SIMULATED]);

/** Why a difference is correct on our chain. The first matching rule gives the reason. */
const RULES: readonly (readonly [reason: string, test: Test])[] = [
  [STATE, isLast('stateRoot|accountProof\\.\\d+')],
  [HEADERS, isLast('result(?:\\.\\d+)?\\.(?:hash|parentHash|size)')],
  [HEADERS, all(isSimulated, isLast('blockHash'))],
  [
    SIMULATED,
    all(isSimulated, isLast('transactions\\.\\d+|transactions\\.\\d+\\.hash|transactionHash|transactionsRoot')),
  ],
  [
    'a call has at most 2^24 gas (EIP-7825)',
    all(isLast('gas'), ({ expected, actual }) => BigInt(expected as Hex) > GAS_CAP && actual === '0x1000000'),
  ],
  [
    'the base fee is fixed: 0.5 gwei',
    all(isLast('baseFeePerGas'), ({ actual }) => /^0x(?:1dcd6500|0)$/.test(actual as string)),
  ],
  [
    'replayed transactions pay 1 gwei, or with a cap the base fee',
    all(isLast('effectiveGasPrice'), ({ actual }) => [GWEI, GWEI / 2n].includes(BigInt(actual as Hex))),
  ],
  [
    'the base fee is fixed: 0.5 gwei',
    all(isLast('gasPrice'), ({ expected, actual }) => BigInt(expected as Hex) - BigInt(actual as Hex) === GWEI / 2n),
  ],
  ['prevRandao is computed from the hash of the parent', isLast('mixHash')],
  ['no proof of work, no uncles', isLast('sha3Uncles|uncles\\.\\d+')],
  ['no proof of work, no uncles', all(isLast('difficulty'), ({ actual }) => actual === '0x0')],
  [
    'no beacon chain: no withdrawals, requests and roots',
    isLast('withdrawals(?:\\.\\d+)?|withdrawalsRoot|parentBeaconBlockRoot|requestsHash'),
  ],
  ['no blobs', isLast('blobGasUsed|excessBlobGas|blobGasPrice|maxFeePerBlobGas|blobVersionedHashes')],
  ['no blobs', all(isLast('type'), ({ expected, actual }) => expected === '0x3' && actual === '0x2')],
  ['no blobs', all(isLast('transactionsRoot|receiptsRoot'), (_difference, { hasBlobs }) => hasBlobs)],
  ['no blobs', isRefused(/blobs are not supported|must be one of 0x0, 0x1, 0x2, 0x4|at most 131072/)],
  [
    'our genesis has its own gas limit and miner',
    all(isLast('gasLimit|miner|extraData'), (_difference, { isGenesis }) => isGenesis),
  ],
  [
    'blocks before Osaka run under the rules of Osaka',
    all(
      isLast('gasUsed|cumulativeGasUsed|receiptsRoot|status|root|logIndex|gas|returnValue|failed|logs|logsBloom'),
      (_difference, { isOld }) => isOld,
    ),
  ],
  [
    'transactions without a chain id are not accepted',
    all(isLast('chainId'), ({ actual }) => String(actual).startsWith('0x-')),
  ],
  ['the error codes of our specification', all(isLast('error\\.code'), isOurCode)],
  ['the words of our errors', isLast('error\\.message')],
  ['opcode traces (structLogs) are not offered: the default is the callTracer', isLast('structLogs')],
  [
    'the key of a proof is 32 bytes',
    all(
      isLast('storageProof\\.\\d+\\.key'),
      ({ expected, actual }) => BigInt(expected as Hex) === BigInt(actual as Hex),
    ),
  ],
  [
    'the genesis can be traced: it has no transactions',
    ({ path, expected }) =>
      path === 'error' && (expected as { message?: string })?.message === 'genesis is not traceable',
  ],
  ['precompiles cannot be moved or overridden', isRefused(/movePrecompileToAddress|code of the precompile/)],
  ['the base fee is fixed: 0.5 gwei', isRefused(/less than block base fee/)],
  ['amounts of the suite are dust: its transactions are signed, and cannot be scaled', isRefused(/would be lost/)],
  [
    'returned words: hashes, gas, base fee, prevRandao and the balance of a validator',
    all(isLast('result|returnData'), hasOurWords),
  ],
];

/** Whether the gateway responded that it does not support the method. */
export function isNotOffered(answer: unknown): boolean {
  return NOT_OFFERED.has((answer as { error?: { code: number } }).error?.code ?? 0);
}

/** Returns why a difference is correct on our chain; null if it is wrong. */
export function findReason(difference: Difference, answered: Answered): string | null {
  return RULES.find(([, test]) => test(difference, answered))?.[0] ?? null;
}

function isOurCode({ expected, actual }: Difference): boolean {
  return CODES[expected as number]?.includes(actual as number) ?? false;
}

/** Whether each differing word is a value that a contract reads from its block, or its gas. */
function hasOurWords({ expected, actual }: Difference): boolean {
  const [theirs, ours] = [toWords(expected), toWords(actual)];
  return (
    theirs.length === ours.length &&
    theirs.every((word, index) => {
      const own = ours[index] ?? 0n;
      const isHash = word > 2n ** 200n && own > 2n ** 200n;
      const isGas = word > GAS_CAP && own <= GAS_CAP && own > 0n;
      const isPrevRandao = word === 0n && own > 2n ** 200n;
      const isBaseFee = own === 0n && word > MILLION && word < GWEI;
      // The validator receives the whole fee, for at most GAS_CAP gas. Ethereum burns the base fee.
      const isFee = word === 0n && own > LEAST_FEE && own < GWEI;
      return word === own || isHash || isGas || isPrevRandao || isBaseFee || isFee;
    })
  );
}

function toWords(data: unknown): bigint[] {
  return typeof data === 'string' ? (data.slice(2).match(/.{1,64}/g) ?? []).map((word) => BigInt(`0x${word}`)) : [];
}
