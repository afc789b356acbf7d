import {
  requestDeployment,
  requestDigest,
  computeVersion,
  type RequestSnapshot,
  type RequestTerms,
} from '@causeway/protocol/admin';
import type { AdminRequest, Refund } from '@causeway/store';
import { aHash, anAddress, anAddressBook, PARTNER } from '@causeway/test-kit';
import type { Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

export const book = anAddressBook();
const accounts = [generatePrivateKey(), generatePrivateKey()].map((key) => privateKeyToAccount(key));
export const operators = accounts.map(({ address }) => address.toLowerCase() as Address);
export const AMOUNT = 10n ** 18n;
export const aRefund = (over: Partial<Refund> = {}): Refund => ({
  id: aHash(),
  operationId: aHash(),
  chainId: PARTNER,
  asset: 'XCN',
  wallet: anAddress('relayer'),
  payer: anAddress(),
  amount: AMOUNT,
  status: 'REQUESTED',
  recipient: null,
  approvedBy: null,
  payment: null,
  txHash: null,
  settledAt: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ...over,
});

/** How a signed request differs from the usual one. */
interface Signing {
  readonly count?: number;
}

/** A request with these terms, which the first operators signed. */
export async function signed(
  terms: RequestTerms,
  decidedOn: RequestSnapshot,
  over: Signing = {},
): Promise<AdminRequest> {
  const { count = 2 } = over;
  const deployment = requestDeployment(book);
  const version = computeVersion(decidedOn);
  const request = { id: aHash(), terms, decidedOn, version, reason: 'a test', validUntil: 1_000 };
  const hash = requestDigest(deployment, request);
  const approvals = await Promise.all(
    accounts.slice(0, count).map(async (account, index) => ({
      operator: operators[index]!,
      signature: await account.sign({ hash }),
      createdAt: new Date(0),
    })),
  );
  const row = { requestedBy: operators[0]!, approvalsNeeded: 0, outcome: '', state: 'DONE' } as const;
  return { ...request, ...row, createdAt: new Date(0), endedAt: new Date(0), approvals };
}
/** The refund's state that operators saw before they approved it. */
export const makeState = ({ operationId, chainId, asset, amount, payer }: Refund) =>
  ({
    about: 'refund',
    status: 'REQUESTED',
    operationId,
    chainId,
    asset,
    amount: amount.toString(),
    payer,
    recipient: null,
  }) as const satisfies RequestSnapshot;
export const approval = ({ id: refundId, payer, amount }: Refund, recipient = payer): RequestTerms => ({
  kind: 'REFUND_APPROVE',
  refundId,
  recipient,
  amount: amount.toString(),
});
/** An approved refund, with its request. */
export async function approved(
  over: Partial<Refund> = {},
  signing: Signing = {},
): Promise<{ readonly refund: Refund; readonly request: AdminRequest }> {
  const refund = aRefund({ status: 'APPROVED', ...over });
  const recipient = refund.recipient ?? refund.payer;
  const request = await signed(approval(refund, recipient), makeState(refund), signing);
  return { refund: { ...refund, recipient, approvedBy: request.id }, request };
}
