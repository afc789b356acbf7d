import { checkAccountSignature, QuorumError } from '@causeway/chain';
import type { AddressBook } from '@causeway/protocol';
import type { Fence, RestoredIntent, Store, UnknownRelease } from '@causeway/store';
import type { Address, Hex } from 'viem';
import type { BridgeChain, BridgeChains } from '../../bridge-chain.js';
import { feePoliciesAt } from '../../stages/observe.js';
import { findPayment, readReleasedIntent, type CallData } from './released-intent.js';

/** How long an intent waits for its transfer (specification, Limits). */
const WINDOW_MS = 30 * 60_000;

export interface IntentRestoring {
  readonly store: Pick<Store, 'restore'>;
  readonly chains: BridgeChains;
  readonly book: AddressBook;
  readonly partnerConfirmations: number;
}

const NOT_STORED =
  'it could not be stored: a chain is halted, its transfer pays another intent or came after its window, or its intent ' +
  'has FAILED or EXPIRED here. Approve no refund of its transfer';
/** Releases whose transactions are read together. */
const READ_TOGETHER = 16;

/**
 * Restores the intents of all releases that have no operation, or whose operation has no transfer. The oldest release
 * comes first.
 *
 * @param known ids of releases that belong to no intent, with the reasons. New ones are added.
 * @param onRestored receives sender and recipient of each restored intent.
 * @throws QuorumError
 */
export async function restoreIntents(
  context: IntentRestoring,
  fence: Fence,
  known: Map<Hex, string>,
  onRestored: (parties: readonly Address[]) => void,
  onDone: (done: number, total: number) => void,
): Promise<void> {
  const { restore } = context.store;
  const total = (await restore.countUnknownReleases()) - known.size;
  let done = 0;
  for (let page = await restore.unknownReleases(null); page.length > 0;) {
    const releases = page.filter(({ operationId }) => !known.has(operationId));
    for (let first = 0; first < releases.length; first += READ_TOGETHER) {
      const some = releases.slice(first, first + READ_TOGETHER);
      const found = await Promise.all(
        some.map(async (release) => ({ release, intent: await findIntent(context, release) })),
      );
      for (const { release, intent } of found) {
        if (typeof intent === 'string') known.set(release.operationId, intent);
        else if (await restore.restoreIntent(fence, intent)) onRestored([intent.terms.sender, intent.terms.recipient]);
        else known.set(release.operationId, NOT_STORED);
      }
      done += some.length;
      onDone(done, total);
    }
    page = await restore.unknownReleases(page.at(-1) ?? null);
  }
}

/** Finds the intent of a release with its transfer. Returns why there is none as text. */
async function findIntent(context: IntentRestoring, release: UnknownRelease): Promise<RestoredIntent | string> {
  const { chains, book, store } = context;
  const call = await readCall(chains.ethereum, release.txHash);
  const finding = await readReleasedIntent(release, call, book, async (claim) => {
    const { kind } = await checkAccountSignature(chains.partner.connection, claim);
    return kind === 'valid';
  });
  if (finding.kind === 'unknown') return finding.why;
  const { intent, signature, transferId } = finding;
  const { sender, recipient, amount, deadline, nonceHash } = intent;
  const payments = await store.restore.unboundPayments(chains.partner.chainId, sender, amount);
  const payment = findPayment(transferId, payments);
  if (payment === null)
    return `no unbound transfer of ${amount} units from ${sender} has the id ${transferId} that the release names`;
  const { bps } = (await feePoliciesAt(chains.partner, book, payment.blockNumber)).XCN;
  return {
    payment,
    nonceHash,
    signature,
    deadlineSeconds: deadline,
    expiresAt: new Date(Math.min(payment.minedAt.getTime() + WINDOW_MS, Number(deadline) * 1000)),
    terms: {
      id: release.operationId,
      kind: 'INTENT',
      direction: 'PARTNER_TO_ETHEREUM',
      asset: 'XCN',
      amount,
      fee: release.fee,
      feeBps: bps,
      outputAmount: release.outputAmount,
      sender,
      recipient,
      originChainId: book.partner.chainId,
      destinationChainId: book.ethereum.chainId,
      originNonce: null,
      requiredConfirmations: context.partnerConfirmations,
    },
  };
}

/** Reads a transaction by a quorum of nodes. */
async function readCall({ connection }: BridgeChain, hash: Hex): Promise<CallData> {
  try {
    return await connection.agree(
      async (client) => {
        const { to, input } = await client.getTransaction({ hash });
        return { to, input };
      },
      ({ to, input }) => `${to ?? ''} ${input}`.toLowerCase(),
    );
  } catch (error) {
    if (error instanceof QuorumError)
      throw new Error(`The nodes of ${connection.name} do not serve the transaction ${hash}`, { cause: error });
    throw error;
  }
}
