// The process that kill.test.ts starts and kills: a chain under load that reports every block to its parent.
import { bytesToHex, hexToBytes, keccak256, numberToHex, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { PartnerChain } from '../dist/index.js';

const [directory = '', ...keys] = process.argv.slice(2);
/** Stores its second word under its first, and logs both. */
const STORE: Address = `0x${'c1'.repeat(20)}`;
const STORE_CODE = '0x602035600035556040600060003760003560406000a1';
const BATCH = 5;

const senders = keys.map((key) => privateKeyToAccount(key as Hex));
const chain = await PartnerChain.open(
  {
    dataDirectory: directory,
    blockIntervalMs: 0,
    genesis: {
      alloc: {
        [STORE]: { code: STORE_CODE },
        ...Object.fromEntries(senders.map(({ address }) => [address, { balance: (10n ** 26n).toString() }])),
      },
    },
  },
  { threads: 0 },
);

chain.listen({
  onBlock: ({ number, hash }) => {
    const receipts = chain.reader.receipts(number).map(({ status, gasUsed, logs }, index) => {
      const raw = chain.reader.transactionAt(number, index)?.raw ?? new Uint8Array();
      return { hash: keccak256(raw), status, gasUsed: gasUsed.toString(), logs: logs.length };
    });
    process.send?.({ number, hash, receipts });
  },
  onPendingTransaction: () => undefined,
  onFault: (error) => process.send?.({ failure: error.message }),
  onFailure: (error) => process.send?.({ failure: error.message }),
});

await Promise.all(
  senders.map(async (sender) => {
    for (let nonce = Number(await chain.pendingNonce(hexToBytes(sender.address))); ; nonce += BATCH) {
      const batch = Array.from({ length: BATCH }, (_, index) => sign(sender, nonce + index));
      await Promise.all(batch.map(async (raw) => await chain.submit(hexToBytes(await raw))));
    }
  }),
);

/** Alternates between a storage write with a log, and a payment to a new account. */
function sign(sender: (typeof senders)[number], nonce: number): Promise<Hex> {
  const word = (value: number): string => numberToHex(value, { size: 32 }).slice(2);
  const message =
    nonce % 2 === 0
      ? { to: STORE, data: `0x${word(nonce % 16)}${word(nonce)}` as Hex, value: 0n }
      : { to: bytesToHex(hexToBytes(keccak256(numberToHex(nonce % 64))).subarray(12)), value: 10n ** 10n };
  return sender.signTransaction({
    type: 'eip1559',
    chainId: 8901,
    nonce,
    gas: 700_000n,
    maxFeePerGas: 10n ** 9n,
    maxPriorityFeePerGas: 10n ** 8n,
    ...message,
  });
}
