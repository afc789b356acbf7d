import { writeFile } from 'node:fs/promises';
import { bridgeMintAbi } from '@causeway/contracts/abi';
import { pad, slice, type Hex } from 'viem';
import { getSelectors } from '../blocks/events.js';
import { computeFee, isSignedBySender } from '../checks/acceptance.js';
import { computeIntentId } from '../digests/ids.js';
import { mayHaveHadCode } from '../ledger/former-code.js';
import { NoQuorumError } from '../nodes/quorum-reader.js';
import type { Beginning } from '../trace/beginning.js';
import type { Heads } from '../trace/heads.js';
import { proveOperation, valueOf, type OperationFacts } from '../trace/operation.js';
import { tracePayment } from '../trace/payments.js';
import { checkProof, collectProof, ProofFileError, type CheckedProof } from '../trace/proof.js';
import type { Statement } from '../trace/statement.js';
import type { VerifierSettings } from '../settings.js';
import type { Verifier } from '../verifier.js';
import { UsageError } from './exit-codes.js';
import { decide, type Outcome } from './outcome.js';
import { CHAIN_NAMES, readJson, SIDES, type NodeRecord, type Run, type Setup } from './setup.js';

const POLICY_SET = getSelectors(bridgeMintAbi, ['FeePolicySet']);

/** Blocks in which an authorization of an account's former code is searched, without an archive. */
const CODE_BLOCKS = 10_000n;

/** The result of the check of one operation. */
export interface OperationReport extends Outcome {
  readonly statement: Statement | null;
  /** The proof file; null if none was written. */
  readonly file: string | null;
  /** The points that the reader must still compare or trust. */
  readonly open: readonly string[];
  readonly nodes: readonly NodeRecord[];
}

/** Proves one operation from the nodes, and writes its proof. */
export async function verifyOperation(
  words: { readonly asked: Hex; readonly intent: Hex | null },
  setup: Setup,
  { flags, progress }: Run,
): Promise<OperationReport> {
  const { verifier, nodes } = setup;
  const { asked, intent } = words;
  const hint = intent === null ? null : { id: intent, isDeposit: false, originHash: null, deliveryHash: null };
  try {
    const facts = await proveOperation(asked, hint, verifier, (step) => progress.show(`reading: ${step}`));
    const proof = await collectProof(facts, verifier);
    const { wrong, open } = await judge(asked, facts, proof, verifier);
    const { result, why, trusted } = decide({ findings: [], open, evidence: [] }, true, setup);
    const outcome = wrong.length > 0 ? ({ result: 'wrong', why: wrong, trusted } as const) : { result, why, trusted };
    if (proof === null) return { ...outcome, statement: null, file: null, open: [], nodes };
    const file = flags.proof ?? `causeway-proof-${proof.file.statement.id.slice(0, 18)}.json`;
    await writeFile(file, `${JSON.stringify(proof.file, null, 2)}\n`).catch((error: Error) => {
      throw new UsageError('proof', `cannot be written: ${error.message}`);
    });
    return { ...outcome, statement: proof.file.statement, file, open: proof.open, nodes };
  } catch (error) {
    if (!(error instanceof NoQuorumError)) throw error;
    const outcome = decide({ findings: [], open: [error.message], evidence: [] }, true, setup);
    return { ...outcome, statement: null, file: null, open: [], nodes };
  } finally {
    progress.clear();
  }
}

/** Checks a proof file without nodes. */
export async function verifyProof(file: string, settings: VerifierSettings): Promise<OperationReport> {
  const json = await readJson('proof', file);
  try {
    const { file: proof, problems, open } = await checkProof(json, settings);
    const { began, paid } = proof.statement;
    const blocks = [began, paid].map(
      ({ chainId, blockNumber, blockHash }) => `Block ${blockNumber} of chain ${chainId} is ${blockHash}.`,
    );
    const why = problems.map(({ field, why: reason }) => `${field}: ${reason}`);
    const result = why.length > 0 ? 'wrong' : 'right';
    return { result, why, trusted: [], statement: proof.statement, file, open: [...blocks, ...open], nodes: [] };
  } catch (error) {
    if (error instanceof ProofFileError)
      throw new UsageError(
        'proof',
        `cannot be checked: ${error.message}`,
        'Give the file as causeway-verify wrote it.',
      );
    throw error;
  }
}

/** The contradictions of the operation, and its open points. */
async function judge(asked: Hex, facts: OperationFacts, proof: CheckedProof | null, verifier: Verifier) {
  const [begun, delivery, refund, heads] = [
    valueOf(facts.beginning),
    valueOf(facts.delivery),
    valueOf(facts.refund),
    valueOf(facts.heads),
  ];
  const parts = [facts.heads, facts.beginning, facts.delivery, facts.refund];
  const open: string[] = [...new Set(parts.flatMap((part) => ('problem' in part ? [part.problem] : [])))];
  const wrong = (proof?.problems ?? []).map(({ field, why }) => `${field}: ${why}`);
  if (open.length > 0 || heads === null) return { wrong, open };
  if (begun === null) {
    const question = { side: 'partner', name: 'Mint', id: asked, number: null, transactionHash: null } as const;
    const mint = delivery ?? (await tracePayment(question, verifier, heads));
    if (mint === null) open.push('Neither chain has an operation with this id or transaction.');
    else if (mint.timestamp > heads[mint.side === 'partner' ? 'ethereum' : 'partner'].timestamp)
      open.push(`${mint.transactionHash} paid it, and the other chain is not read up to its time.`);
    else if (mint.intent === null) wrong.push(`${mint.transactionHash} paid an operation that began nowhere.`);
    else open.push('It is an intent: give the hash of the transaction that paid it.');
    return { wrong, open };
  }
  const kind = proof?.file.statement.kind;
  const payment = kind === undefined ? null : kind === 'REFUND' ? refund : delivery;
  if (payment === null)
    open.push(
      begun.kind === 'PAYMENT' && delivery === null && begun.memo === null
        ? 'The payment names no intent: give the id of the intent after its hash.'
        : 'It began, and is neither delivered nor refunded.',
    );
  if (proof !== null && begun.kind === 'PAYMENT') {
    const { sender, wallet, amount } = proof.file.statement;
    if (BigInt(amount) !== begun.amount) wrong.push(`The transfer has ${begun.amount}, and ${amount} was paid for it.`);
    if (wallet !== null && sender !== begun.sender) wrong.push(`${begun.sender} paid it, not ${sender}.`);
  }
  const intent = delivery?.intent ?? null;
  if (begun.kind === 'PAYMENT' && intent !== null && intent.transferId === begun.transferId) {
    if (refund !== null) wrong.push('One transfer paid an intent, and was refunded.');
    if (intent.sender !== begun.sender) wrong.push(`${begun.sender} paid it, and ${intent.sender} signed it.`);
    const id = computeIntentId(verifier.settings.partner, intent);
    const { partner: reader } = verifier.readers;
    const isSigned = await isSignedBySender(intent, id, reader, heads.partner.hash);
    const where = { transferAt: begun.blockNumber, end: heads.partner, most: CODE_BLOCKS };
    if (isSigned === false && (await mayHaveHadCode(reader, intent.sender, where)) === false)
      wrong.push(`${intent.sender} did not sign the intent.`);
    else if (isSigned !== true) open.push(`The account ${intent.sender} does not confirm the signature now.`);
    const fees = await readFees(verifier, begun, heads);
    const fee = delivery?.fee ?? 0n;
    if (!fees.includes(fee)) wrong.push(`The fee is ${fee}; the policies until then gave ${fees.join(', ')}.`);
  }
  for (const side of SIDES) {
    const final = await verifier.finality.finalBlock(side);
    for (const place of [begun, payment])
      if (place?.side === side && place.blockNumber > final)
        open.push(`Block ${place.blockNumber} of ${CHAIN_NAMES[side]} is not final yet; block ${final} is.`);
  }
  return { wrong, open };
}

/** The fees of a payment by all policies of its token until then. */
async function readFees(
  { readers, settings }: Verifier,
  { token, amount, blockNumber }: Beginning,
  { partner }: Heads,
): Promise<readonly bigint[]> {
  const { contract: address, deployedAtBlock: fromBlock } = settings.partner;
  const query = { address, topics: POLICY_SET, indexed: [pad(token)], fromBlock, toBlock: blockNumber };
  const fees = (await readers.partner.logs(query, partner)).map(({ data }) =>
    computeFee(amount, BigInt(slice(data, 0, 32)), BigInt(slice(data, 32, 64))),
  );
  return [...new Set(fees)];
}
