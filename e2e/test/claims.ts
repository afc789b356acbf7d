import type { BridgeOperationResponse, ReservesResponse } from '@causeway/protocol';
import { createPublicClient, http, type Hex } from 'viem';
import { checkReserves, judge, makeVerifier, readFacts, type FieldJudgement } from '../../apps/web/src/check/index.js';
import type { TestEnvironment } from './temporary-environment.js';

/** Creates a verifier of one node of each chain, as the page does. */
function connect({ book, stack, options }: TestEnvironment) {
  const settings = {
    addressBook: book,
    holdSeconds: options.holdSeconds,
    ethereum: { confirmations: options.ethereumConfirmations },
    partner: { confirmations: options.partnerConfirmations },
  };
  const node = (side: 'ethereum' | 'partner') => ({
    name: side,
    client: createPublicClient({ transport: http(stack[side].rpcUrl, { retryCount: 0 }) }),
  });
  return { settings, verifier: makeVerifier(settings, { ethereum: [node('ethereum')], partner: [node('partner')] }) };
}

/** Checks the statements of the reserves, as the page does. */
export async function checkStatements(environment: TestEnvironment, page: ReservesResponse) {
  return checkReserves(page, connect(environment).verifier);
}

/** Compares what the API says with the chains, as the page "Check it yourself" does. */
export function createCheck(environment: TestEnvironment) {
  const { settings, verifier } = connect(environment);
  return async (asked: Hex, claim: BridgeOperationResponse | null): Promise<readonly FieldJudgement[]> =>
    judge(asked, claim, await readFacts(asked, claim, verifier), { settings, verifier });
}

/** The fields with a verdict, with what was claimed and found. */
export function listVerdicts(rows: readonly FieldJudgement[], verdict: FieldJudgement['verdict']): string[] {
  return rows
    .filter((row) => row.verdict === verdict)
    .map(({ field, claimed, found, why }) => `${field}: ${claimed} / ${found}: ${why}`);
}

type Claim = BridgeOperationResponse;

/** Completed transfers of each kind, and a failed one. */
export interface Honest {
  readonly deposit: Claim;
  readonly burn: Claim;
  readonly intent: Claim;
  readonly failed: Claim;
}

/** A lie of the API: about which transfer, the field that a reader must find wrong, and the changed fields. */
export type Lie = readonly [about: keyof Honest, field: string, change: Partial<Record<keyof Claim, unknown>>];

/** Lies in every field that a chain can prove. */
export function listLies({ deposit, burn, intent, failed }: Honest): readonly Lie[] {
  const stranger = `0x${'5a'.repeat(20)}`;
  const later = (iso: string, seconds: number) => new Date(Date.parse(iso) + 1_000 * seconds).toISOString();
  const settled = (claim: Claim, change: object) => ({ settlement: { ...claim.settlement, ...change } });
  const double = (amount: string) => `${2n * BigInt(amount)}`;
  return [
    ['deposit', 'amount', { amount: double(deposit.amount) }],
    ['burn', 'amount', { amount: double(burn.amount), amountFormatted: '100', outputAmount: burn.outputAmount }],
    ['burn', 'amountFormatted', { amountFormatted: '0.00000000005' }],
    ['deposit', 'asset', { asset: deposit.asset === 'XCN' ? 'ETH' : 'XCN' }],
    ['intent', 'outputAmount', { outputAmount: intent.amount }],
    ['burn', 'outputAmountFormatted', { outputAmountFormatted: '45000000' }],
    ['intent', 'fee.amount', { fee: { ...intent.fee, amount: '0' } }],
    ['burn', 'fee.formatted', { fee: { ...burn.fee, formatted: '0.5' } }],
    ['burn', 'fee.bps', { fee: { ...burn.fee, bps: 1 } }],
    ['deposit', 'fee', { fee: burn.fee }],
    ['deposit', 'recipient', { recipient: stranger }],
    ['intent', 'recipient', { recipient: stranger }],
    ['burn', 'sender', { sender: stranger }],
    ['deposit', 'direction', { direction: 'PARTNER_TO_ETHEREUM' }],
    ['burn', 'originChainId', { originChainId: burn.destinationChainId }],
    ['burn', 'destinationChainId', { destinationChainId: 1 }],
    ['deposit', 'id', { id: burn.id }],
    ['deposit', 'id', burn],
    ['intent', 'id', failed],
    ['failed', 'id', { id: intent.id }],
    ['deposit', 'depositId', { depositId: burn.id }],
    ['burn', 'withdrawId', { withdrawId: null }],
    ['intent', 'intentId', { intentId: burn.id }],
    ['burn', 'intentId', { intentId: burn.id }],
    ['deposit', 'originTxHash', { originTxHash: burn.originTxHash }],
    ['intent', 'originTxHash', { originTxHash: failed.originTxHash }],
    ['burn', 'destinationTxHash', { destinationTxHash: deposit.destinationTxHash }],
    ['deposit', 'status', { status: 'FAILED', failureReason: 'REJECTED_BY_OPERATORS' }],
    ['intent', 'status', { status: 'EXPIRED', settlement: null }],
    ['failed', 'status', { status: 'COMPLETED', settlement: intent.settlement }],
    ['deposit', 'originConfirmations', { originConfirmations: 1_000_000 }],
    ['deposit', 'settlement.txHash', settled(deposit, { txHash: burn.settlement?.txHash })],
    ['deposit', 'settlement.chainId', settled(deposit, { chainId: deposit.originChainId })],
    ['deposit', 'settlement.blockNumber', settled(deposit, { blockNumber: 1 })],
    ['burn', 'settlement.recipient', settled(burn, { recipient: stranger })],
    ['intent', 'settlement.amount', settled(intent, { amount: intent.amount })],
    ['burn', 'settlement.amountFormatted', settled(burn, { amountFormatted: '1' })],
    ['deposit', 'settlement.settledAt', settled(deposit, { settledAt: later(deposit.createdAt, -60) })],
    ['deposit', 'settlement.credited', settled(deposit, { credited: true })],
    ['burn', 'createdAt', { createdAt: later(burn.createdAt, -3_600) }],
    ['burn', 'holdUntil', { holdUntil: later(burn.createdAt, -1) }],
    ['intent', 'relayerWalletAddress', { relayerWalletAddress: stranger }],
    ['failed', 'refundId', { refundId: burn.id }],
    ['failed', 'recipient', { recipient: stranger }],
  ];
}
