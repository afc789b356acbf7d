import type { BridgeOperationResponse } from '@causeway/sdk';
import { valueOf, type OperationFacts, type Verifier } from '@causeway/verifier';
import { formatUnits, type Hex } from 'viem';
import { CHECK } from '../words/check.js';
import {
  blocksBehind,
  compare,
  readClaim,
  rule,
  toIso,
  type Case,
  type CheckSettings,
  type FieldJudgement,
} from './case.js';
import { judgeStatus } from './status.js';
import { readTerms, type Shown } from './terms.js';
import { judgeTimes } from './times.js';

const { why: WHY } = CHECK;

/**
 * Judges each field of a claim by what both chains show. Fields in which the API claims nothing that a chain could show
 * are left out.
 *
 * @param asked the id of a transfer, or the hash of its first transaction.
 */
export function judge(
  asked: Hex,
  claim: BridgeOperationResponse | null,
  facts: OperationFacts,
  { settings, verifier }: { readonly settings: CheckSettings; readonly verifier: Pick<Verifier, 'settings'> },
): readonly FieldJudgement[] {
  const terms = readTerms(asked, claim, facts, verifier.settings);
  const one = { asked, claim, facts, settings, assets: verifier.settings.assets, terms };
  return [...judgeTerms(one), ...judgeStatus(one), ...judgeSettlement(one), ...judgeTimes(one), ...judgeRest(one)];
}

function judgeTerms(one: Case): readonly FieldJudgement[] {
  const { terms, facts, settings } = one;
  const { kind, id, direction, asset, amount, fee, output } = terms;
  const { ethereum, partner } = settings.addressBook;
  const chain = (isOrigin: boolean) =>
    map(direction, (to) => ((to === 'ETHEREUM_TO_PARTNER') === isOrigin ? ethereum.chainId : partner.chainId));
  const isDeposit = map(direction, (to) => to === 'ETHEREUM_TO_PARTNER');
  const toId = (isKind: boolean) => (kind === null ? id : isKind ? id : { value: null, why: WHY.recomputed });
  const deposit = isDeposit.value === true;
  const policy = valueOf(facts.policy);
  const bps: Shown<unknown> =
    kind === 'TRANSFER'
      ? { value: 0, why: WHY.recomputed }
      : policy?.isSteady === true
        ? { value: policy.bps, why: WHY.recomputed }
        : { why: 'problem' in facts.policy ? facts.policy.problem : WHY.feeMayDiffer };
  return [
    compare(one, 'id', isOfAnother(one) ? { value: one.asked, why: WHY.asked } : id),
    compare(one, 'direction', direction),
    compare(one, 'asset', asset),
    compare(one, 'amount', amount),
    compareText(one, 'amountFormatted', 'amount', amount),
    ...(deposit
      ? [compare(one, 'fee', { value: null, why: fee.why })]
      : [
          compare(one, 'fee.amount', fee),
          compareText(one, 'fee.formatted', 'fee.amount', fee),
          compare(one, 'fee.bps', bps),
        ]),
    compare(one, 'outputAmount', output),
    compareText(one, 'outputAmountFormatted', 'outputAmount', output),
    compare(one, 'originChainId', chain(true)),
    compare(one, 'destinationChainId', chain(false)),
    judgeOrigin(one),
    compare(one, 'depositId', toId(kind === 'NUMBERED' && deposit)),
    compare(one, 'withdrawId', toId((kind === 'NUMBERED' && !deposit) || kind === 'INTENT')),
    compare(one, 'intentId', toId(kind === 'INTENT')),
    compare(one, 'sender', terms.sender),
    compare(one, 'recipient', terms.recipient),
    ...judgeOthers(one),
  ];
}

/** Whether the API answers with another transfer than the one that was asked for. */
function isOfAnother({ asked, claim }: Case): boolean {
  return claim !== null && !['id', 'originTxHash'].some((field) => readClaim(claim, field) === asked);
}

/**
 * Compares the text of an amount with the found one, otherwise with the claimed one: then a text that differs is wrong,
 * and an equal one shows nothing of the chains.
 */
function compareText(one: Case, field: string, atomic: string, shown: Shown<bigint>): FieldJudgement {
  const claimed = readClaim(one.claim, atomic) ?? '';
  const amount = shown.value ?? (/^\d{1,78}$/.test(claimed) ? BigInt(claimed) : undefined);
  const symbol = one.terms.asset.value ?? one.claim?.asset;
  const asset = one.assets.find((each) => each.symbol === symbol);
  if (amount === undefined || asset === undefined) return compare(one, field, { why: shown.why });
  const value = formatUnits(amount, asset.decimals);
  const isProof = shown.value !== undefined || value !== readClaim(one.claim, field);
  return compare(one, field, isProof ? { value, why: WHY.ofAmount } : { why: shown.why });
}

/** A claimed transaction that neither chain has is a lie, unless the nodes are behind. */
function judgeOrigin(one: Case): FieldJudgement {
  const { claim, facts, terms } = one;
  if (terms.origin.value !== undefined || claim === null || claim.originTxHash === null)
    return compare(one, 'originTxHash', terms.origin);
  const isAbsent = 'value' in facts.beginning && facts.beginning.value === null;
  if (!isAbsent) return compare(one, 'originTxHash', terms.origin);
  const isBehind = areNodesBehind(one, claim);
  const judged = isBehind
    ? ({ verdict: 'cannot tell', why: WHY.nodesEndBefore } as const)
    : ({ verdict: 'disagree', why: WHY.notOnChains } as const);
  return rule(one, 'originTxHash', { found: null, ...judged });
}

/** Only the time of an intent is not that of a block; then the number of its confirmations says how old it is. */
function areNodesBehind(one: Case, claim: BridgeOperationResponse): boolean {
  const heads = valueOf(one.facts.heads);
  if (claim.intentId !== null || heads === null)
    return blocksBehind(one, claim.originChainId) >= claim.originConfirmations;
  const side = claim.originChainId === one.settings.addressBook.ethereum.chainId ? 'ethereum' : 'partner';
  return Date.parse(claim.createdAt) / 1_000 > Number(heads[side].timestamp);
}

/** The events show which other operations begin in the transaction. The API may also know payments to the wallet. */
function judgeOthers(one: Case): readonly FieldJudgement[] {
  const { claim, terms } = one;
  const { begun } = terms;
  if (begun?.kind !== 'EVENT') return [];
  const claimed: readonly unknown[] = Array.isArray(claim?.otherOperationIds) ? claim.otherOperationIds : [];
  const isMissing = begun.otherIds.some((id) => !claimed.includes(id));
  const hasMore = claimed.length > begun.otherIds.length;
  const verdict = isMissing ? 'disagree' : hasMore ? 'cannot tell' : 'agree';
  const found = begun.otherIds.join(', ');
  if (claimed.length + begun.otherIds.length === 0) return [];
  return [rule(one, 'otherOperationIds', { found, verdict, why: hasMore ? WHY.noTrace : WHY.recomputed })];
}

function judgeSettlement(one: Case): readonly FieldJudgement[] {
  const { claim, terms, settings } = one;
  const { delivery } = terms;
  if (claim === null ? delivery === null : (claim.settlement ?? null) === null) return [];
  if (delivery === null) {
    // The status is judged by it; here there is nothing to compare with.
    const why = 'problem' in one.facts.delivery ? one.facts.delivery.problem : WHY.notDelivered;
    return [rule(one, 'settlement', { found: null, verdict: 'cannot tell', why })];
  }
  const { side, amount, transactionHash, blockNumber, recipient, isCredited, timestamp, name } = delivery;
  const why = WHY.ofEvent(name);
  const { chainId } = settings.addressBook[side];
  return [
    compare(one, 'settlement.chainId', { value: chainId, why }),
    compare(one, 'settlement.txHash', { value: transactionHash, why }),
    compare(one, 'settlement.blockNumber', { value: blockNumber, why }),
    compare(one, 'settlement.recipient', { value: recipient, why }),
    compare(one, 'settlement.amount', { value: amount, why }),
    compareText(one, 'settlement.amountFormatted', 'settlement.amount', { value: amount, why }),
    compare(one, 'settlement.settledAt', { value: toIso(timestamp), why }),
    compare(one, 'settlement.credited', { value: isCredited, why }),
  ];
}

/** Judges the remaining fields, most of which no chain can show. */
function judgeRest(one: Case): readonly FieldJudgement[] {
  const { facts, claim, terms } = one;
  const wallet =
    'value' in facts.wallet ? { value: facts.wallet.value, why: WHY.wallet } : { why: facts.wallet.problem };
  const unproven = (
    ['unpayableReason', 'stalledReason', 'failureReason', 'failureMessage', 'delayedReason'] as const
  ).map((field) => compare(one, field, { why: WHY.noTrace }));
  return [
    ...((claim?.relayerWalletAddress ?? null) === null ? [] : [compare(one, 'relayerWalletAddress', wallet)]),
    ...((claim?.refundId ?? null) === null ? [] : [compare(one, 'refundId', terms.refundId)]),
    ...unproven.filter(({ claimed }) => claimed !== null),
  ];
}

function map<T, R>(shown: Shown<T>, change: (value: T) => R): Shown<R> {
  return shown.value === undefined ? { why: shown.why } : { value: change(shown.value), why: shown.why };
}
