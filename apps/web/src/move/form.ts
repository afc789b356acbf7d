import type { CheckReport, Direction, Finding, PlannedTransfer, Side, Step } from '@causeway/sdk';
import { formatUnits } from '@causeway/ui/format';
import { MOVE } from '../words/move.js';

/** The entries of the form. */
export interface MoveForm {
  readonly asset: string;
  readonly direction: Direction;
  readonly amount: string;
  /** Empty for the user's own address. */
  readonly recipient: string;
  /** A link named the recipient. */
  readonly isFromLink: boolean;
  /** XCN out by signature and payment, for wallets that cannot call contracts. */
  readonly byIntent: boolean;
}

/** Query parameters of a link that fills the form. */
export interface MoveLink {
  readonly asset?: string;
  readonly to?: string;
  readonly amount?: string;
  readonly recipient?: string;
}

/** Fills the form from a link. Unknown values are ignored. */
export function fillForm(link: MoveLink, assets: readonly string[]): MoveForm {
  const { asset = '', to, amount = '', recipient = '' } = link;
  const known = assets.find((each) => each.toLowerCase() === asset.toLowerCase());
  return {
    asset: known ?? assets[0] ?? 'ETH',
    direction: to === 'ethereum' ? 'PARTNER_TO_ETHEREUM' : 'ETHEREUM_TO_PARTNER',
    amount,
    recipient,
    isFromLink: recipient !== '',
    byIntent: false,
  };
}

/** The side where a transfer begins. */
export function getOrigin(direction: Direction): Side {
  return direction === 'ETHEREUM_TO_PARTNER' ? 'ethereum' : 'partner';
}

/** The side where a transfer arrives. */
export function getDestination(direction: Direction): Side {
  return direction === 'ETHEREUM_TO_PARTNER' ? 'partner' : 'ethereum';
}

/** The kind of transfer that the SDK begins. */
export function chooseKind({ asset, direction, byIntent }: MoveForm): PlannedTransfer['kind'] {
  if (direction === 'ETHEREUM_TO_PARTNER') return 'DEPOSIT';
  if (asset !== 'XCN') return 'BURN';
  return byIntent ? 'INTENT' : 'WITHDRAW_NATIVE';
}

/** Describes a fee as a share of the amount, such as 0.25 %. Amounts in atomic units. */
export function describeShare(fee: bigint, amount: bigint): string {
  if (fee === 0n || amount === 0n) return '0 %';
  const hundredths = (fee * 10_000n) / amount;
  return hundredths === 0n ? 'below 0.01 %' : `${Number(hundredths) / 100} %`;
}

/** Describes a gas fee in wei, rounded up to two digits, with the coin of its chain. */
export function describeGas(fee: bigint, side: Side): string {
  const step = 10n ** BigInt(Math.max(0, `${fee}`.length - 2));
  return `${formatUnits(((fee + step - 1n) / step) * step, 18)} ${side === 'ethereum' ? 'ETH' : 'XCN'}`;
}

/** The parts of the expected time in seconds. The rest after confirmations and hold is the queue with the delivery. */
export function splitTime(
  estimated: number,
  { confirmations, blockMs, hold }: { readonly confirmations: number; readonly blockMs: number; readonly hold: number },
) {
  const confirming = Math.min(estimated, Math.round((confirmations * blockMs) / 1_000));
  const held = Math.min(estimated - confirming, hold);
  return { confirming, held, queue: estimated - confirming - held };
}

/** Names the next signature of a transfer. `steps`: those planned by the SDK; null while unknown. */
export function nameSignature(
  { kind, asset, amount }: Pick<PlannedTransfer, 'kind' | 'asset'> & { readonly amount: string },
  steps: readonly Step[] | null,
): string {
  const what = `${amount} ${asset}`;
  if (kind !== 'DEPOSIT') return MOVE.buttons[kind](what);
  const first = steps?.[0];
  if (first?.step === 'sign') return MOVE.buttons.SIGNED_DEPOSIT(what);
  if (first?.step === 'batch') return MOVE.buttons.BATCH(what);
  return first?.step === 'send' && first.what === 'approval' ? MOVE.buttons.APPROVAL(what) : MOVE.buttons.DEPOSIT(what);
}

/** A button that resolves a finding. */
export type Remedy =
  | { readonly kind: 'switch' }
  | { readonly kind: 'amount'; readonly amount: string }
  | { readonly kind: 'own-recipient' }
  | { readonly kind: 'accept' };

/** Lists the buttons of a finding. `most`: what the account can move, as a decimal; null if unknown. */
export function listRemedies(finding: Finding, most: string | null): readonly Remedy[] {
  const { code, severity, remedyAmount } = finding;
  const amount = remedyAmount ?? (code === 'BALANCE_TOO_LOW' || code === 'GAS_TOO_LOW' ? most : null);
  return [
    ...(code === 'WRONG_NETWORK' ? [{ kind: 'switch' } as const] : []),
    ...(amount === null || amount === '0' ? [] : [{ kind: 'amount', amount } as const]),
    ...(code.startsWith('RECIPIENT_') ? [{ kind: 'own-recipient' } as const] : []),
    ...(severity === 'acceptable' ? [{ kind: 'accept' } as const] : []),
  ];
}

/** Returns whether findings leave a transfer to begin. */
export function mayBegin({ findings }: CheckReport, accepted: readonly string[]): boolean {
  return findings.every(
    ({ code, severity }) => severity === 'note' || (severity === 'acceptable' && accepted.includes(code)),
  );
}
