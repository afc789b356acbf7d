import type { Finding } from '../ledger/finding.js';
import type { Ledger } from '../ledger/ledger.js';
import type { TrustChange } from '../ledger/trust.js';
import type { Side } from '../nodes/finality.js';
import { NoQuorumError } from '../nodes/quorum-reader.js';
import { checkState, type BalanceSheet, type Evidence } from '../state/check-state.js';
import { readHead } from '../trace/heads.js';
import { readFinalHeaders, type FinalHeaders, type Verifier } from '../verifier.js';
import { decide, type Outcome } from './outcome.js';
import { Reading } from './reading.js';
import { checkReserves, type CheckedReserves } from './reserves.js';
import { CHAIN_NAMES, SIDES, type NodeRecord, type Run, type Setup } from './setup.js';

/** Everything that a run over the whole bridge found. Parts are missing when the nodes did not decide them. */
export interface BridgeReport extends Outcome {
  readonly blocks: Readonly<
    Record<Side, { readonly number: bigint; readonly hash: string; readonly time: string }>
  > | null;
  readonly counts: Readonly<Record<Side, { readonly begun: bigint; readonly pending: number }>> | null;
  readonly sheet: BalanceSheet;
  readonly trust: readonly TrustChange[];
  readonly findings: readonly Finding[];
  readonly evidence: readonly Evidence[];
  readonly reserves: CheckedReserves | null;
  readonly nodes: readonly NodeRecord[];
}

/** Reads the whole bridge from the last run's state, and judges it at the newest final blocks. */
export async function verifyBridge(setup: Setup, run: Run): Promise<BridgeReport> {
  const { verifier, nodes } = setup;
  const reading = await Reading.begin(verifier, run);
  const { ledger } = reading;
  const report = { blocks: null, sheet: [], evidence: [], reserves: null, nodes };
  try {
    for (const side of SIDES) await readHead(verifier, side);
    const reserves = run.flags.reserves === undefined ? null : await checkReserves(run, verifier, reading);
    const at = await readFinalHeaders(verifier);
    const { settings } = verifier;
    const early = SIDES.find((side) => at[side].number < settings[side].deployedAtBlock);
    if (early !== undefined)
      throw new NoQuorumError(early, 'a final block of the bridge', [`block ${at[early].number} is before it`], false);
    await reading.read(at);
    const state = await checkState(ledger, verifier, at);
    const late = await judgeUnexplained(ledger, verifier, at);
    const findings = [...ledger.findings, ...late.wrong, ...state.findings, ...(reserves?.findings ?? [])];
    const { undecidedIntents, unaskedAccounts } = ledger;
    const undecided =
      undecidedIntents === 0
        ? []
        : [`${undecidedIntents} intents: it was not found who paid them, or who signed them.`];
    const open = [...late.open, ...undecided, ...(reserves?.open ?? [])];
    const notes =
      unaskedAccounts === 0 ? [] : [`${unaskedAccounts} intents: contracts signed that do not confirm it now.`];
    const { counts, trust } = toCounts(ledger);
    const judged = decide({ findings, open, evidence: state.evidence }, run.flags.trustNodes === true, setup);
    const blocks = { ethereum: toBlock(at, 'ethereum'), partner: toBlock(at, 'partner') };
    const { sheet, evidence } = state;
    return {
      ...report,
      ...judged,
      trusted: [...judged.trusted, ...notes],
      blocks,
      counts,
      trust,
      findings,
      sheet,
      evidence,
      reserves,
    };
  } catch (error) {
    if (!(error instanceof NoQuorumError)) throw error;
    const { findings } = ledger;
    const judged = decide({ findings, open: [error.message], evidence: [] }, true, setup);
    return { ...report, ...judged, ...toCounts(ledger), findings };
  }
}

/**
 * A delivery without its beginning is wrong once the other chain was read past the delivery's time; before that, its
 * nodes can lag.
 */
async function judgeUnexplained(ledger: Ledger, { readers }: Verifier, at: FinalHeaders) {
  const wrong: Finding[] = [];
  const open: string[] = [];
  for (const finding of ledger.unexplained) {
    const { side, blockNumber, code, id } = finding;
    const origin = side === 'ethereum' ? 'partner' : 'ethereum';
    const { timestamp } = await readers[side].headerAt(blockNumber ?? at[side].number);
    if (timestamp <= at[origin].timestamp) wrong.push(finding);
    else open.push(`${code} of ${id ?? 'a payment'}: ${CHAIN_NAMES[origin]} is not read up to its time`);
  }
  return { wrong, open };
}

function toCounts(ledger: Ledger): Pick<BridgeReport, 'counts' | 'trust'> {
  const count = (side: Side) => {
    const { begun, pending } = ledger.counts(side);
    return { begun, pending };
  };
  return { counts: { ethereum: count('ethereum'), partner: count('partner') }, trust: ledger.trust };
}

function toBlock(at: FinalHeaders, side: Side) {
  const { number, hash, timestamp } = at[side];
  return { number, hash, time: new Date(1_000 * Number(timestamp)).toISOString() };
}
