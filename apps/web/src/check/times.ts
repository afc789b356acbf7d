import { valueOf } from '@causeway/verifier';
import { CHECK } from '../words/check.js';
import { compare, rule, toIso, type Case, type FieldJudgement } from './case.js';

const { why: WHY } = CHECK;

/** Seconds by which the relayer usually sees a block later than its time. */
const USUAL_DELAY_SECONDS = 60;

/** The times of a claim. Those of blocks are proven; others only the API knows. */
export function judgeTimes(one: Case): readonly FieldJudgement[] {
  const { claim, terms } = one;
  const { begun, kind } = terms;
  const isOfBlock = begun !== null && (kind === 'NUMBERED' || kind === 'TRANSFER');
  const created = isOfBlock ? { value: toIso(begun.timestamp), why: WHY.ofBlock } : { why: WHY.noTrace };
  const unproven = (['updatedAt', 'delayedSince'] as const).map((field) => compare(one, field, { why: WHY.noTrace }));
  const estimates = (['estimatedCompletionTime', 'quotedCompletionTime'] as const).map((field) =>
    compare(one, field, { why: WHY.estimate }),
  );
  const isSilent = ({ claimed }: FieldJudgement) => claimed === null;
  return [
    compare(one, 'createdAt', created),
    ...(claim === null ? [] : judgeHold(one)),
    ...[...unproven, ...estimates].filter((row) => !isSilent(row)),
  ];
}

/** The hold of a withdrawal counts from the block with its last confirmation, which is at or after its own block. */
function judgeHold(one: Case): readonly FieldJudgement[] {
  const { claim, terms, settings, facts } = one;
  const { begun } = terms;
  const heads = valueOf(facts.heads);
  const claimed = claim?.holdUntil ?? null;
  if (begun?.side !== 'partner' || heads === null)
    return claimed === null
      ? []
      : [
          begun?.side === 'ethereum'
            ? compare(one, 'holdUntil', { value: null, why: WHY.ofEvent('Deposit') })
            : compare(one, 'holdUntil', { why: terms.origin.why }),
        ];
  const end = Number(begun.timestamp) + settings.holdSeconds;
  const found = new Date(1_000 * end).toISOString();
  if (claimed === null) {
    const isHeld =
      claim?.status === 'AWAITING_RELAY' && end > Math.max(Number(heads.partner.timestamp), facts.nowSeconds);
    return isHeld ? [rule(one, 'holdUntil', { found, verdict: 'disagree', why: WHY.holdRuns })] : [];
  }
  const seconds = Date.parse(claimed) / 1_000;
  const isEarly = Number.isNaN(seconds) || seconds < end;
  const isLate = seconds > end + settings.partner.confirmations * 2 + USUAL_DELAY_SECONDS;
  const verdict = isEarly ? 'disagree' : isLate ? 'cannot tell' : 'agree';
  return [rule(one, 'holdUntil', { found, verdict, why: isLate ? WHY.holdLater : WHY.holdFromChain })];
}
