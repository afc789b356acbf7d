import { describe, expect, it } from '@jest/globals';
import { isSignedByKey } from '@causeway/protocol';
import { requestDeployment, requestDigest, computeVersion, type RequestSnapshot } from '@causeway/protocol/admin';
import type { AdminRequest, NewRequest } from '@causeway/store';
import { aHash, anAddress, anAddressBook, PARTNER } from '@causeway/test-kit';
import { getAddress, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { approveRefund } from './refunds.js';

const deployment = requestDeployment(anAddressBook());
const privateKey = generatePrivateKey();
const operator = privateKeyToAccount(privateKey).address.toLowerCase() as Address;
const payer = anAddress();
const refund = { id: aHash(), asset: 'XCN', amount: 6_000n * 10n ** 18n, payer } as const;
const STATE: RequestSnapshot = {
  about: 'refund',
  status: 'REQUESTED',
  operationId: aHash(),
  chainId: PARTNER,
  asset: 'XCN',
  amount: refund.amount.toString(),
  payer,
  recipient: null,
};
const WORDS = `Refund 6,000 XCN to ${getAddress(payer)} on the partner chain`;

/** A release of the same sum that belongs to no operation. */
const RELEASE = aHash();

/**
 * Runs `relayer refund approve` on a database with this refund, and with this request of another operator.
 *
 * @param despite the values of the option; null when the chain shows no such release.
 */
async function approve(
  open: AdminRequest | null,
  state: RequestSnapshot = STATE,
  despite: readonly string[] | null = null,
) {
  const events: string[] = [];
  const signed: { readonly request: NewRequest | AdminRequest; readonly signature: Hex }[] = [];
  const asked = { state: 'AWAITING_APPROVAL', approvalsNeeded: 2, approvals: [{}], validUntil: 0 };
  const store = {
    refunds: { find: async () => refund },
    requests: {
      readSnapshot: async () => state,
      findOpen: async () => open,
      findObjection: async ({ reason }: { reason: string }) =>
        despite === null || reason.includes(RELEASE) ? null : `The release ${RELEASE} may have paid it`,
      create: async (request: NewRequest, { signature }: { signature: Hex }) => {
        events.push('signed');
        signed.push({ request, signature });
        return { kind: 'created', request: asked };
      },
      approve: async (_: Hex, { signature }: { signature: Hex }) => {
        events.push('signed');
        signed.push({ request: open!, signature });
        return { kind: 'approved', request: { ...asked, state: 'QUEUED' } };
      },
    },
  };
  const settings = {
    deployment,
    approvals: { operators: [operator], rootAdmins: [], oneApprovalUpTo: { ETH: 0n, USDC: 0n, XCN: 0n } },
    openKey: async () => privateKey,
  };
  const context = { store, settings, print: (line: string) => events.push(line) } as never;
  await approveRefund(context, refund.id, undefined, despite ?? []);
  return { events, signed: signed[0]! };
}

/** A request of another operator with the same terms. */
const others = (decidedOn: RequestSnapshot, by = anAddress()) =>
  ({
    id: aHash(),
    terms: { kind: 'REFUND_APPROVE', refundId: refund.id, recipient: payer, amount: refund.amount.toString() },
    decidedOn,
    version: computeVersion(decidedOn),
    reason: 'the payer wrote to us',
    validUntil: 2_000_000_000,
    approvals: [{ operator: by }],
  }) as unknown as AdminRequest;

describe('relayer refund approve', () => {
  it('prints the terms before it signs them', async () => {
    const { events, signed } = await approve(null);
    const words = ['You sign:', `  action: ${WORDS}`, '  amount: 6,000 XCN', `  recipient: ${getAddress(payer)}`];
    expect(events.slice(0, 4)).toEqual(words);
    expect(events.slice(4, 8)).toEqual([
      '  chain: Partner chain',
      expect.stringMatching(/^ {2}expires: .* UTC$/),
      '  reason: command line',
      'signed',
    ]);
    const digest = requestDigest(deployment, signed.request as NewRequest);
    expect(await isSignedByKey(digest, signed.signature, operator)).toBe(true);
  });

  it("signs another operator's request, for the state that it reads itself", async () => {
    const open = others(STATE);
    const { events, signed } = await approve({ ...open, decidedOn: { ...STATE, asset: 'USDC' } as RequestSnapshot });
    expect(events).toContain(`  action: ${WORDS}`);
    expect(events).toContain('  reason: the payer wrote to us');
    const digest = requestDigest(deployment, { ...open, decidedOn: STATE } as NewRequest);
    expect(await isSignedByKey(digest, signed.signature, operator)).toBe(true);
  });

  it('signs no refund that a release may have paid, unless each signer names that release', async () => {
    const objection = `The release ${RELEASE} may have paid it`;
    await expect(approve(null, STATE, [])).rejects.toThrow(objection);
    const { events } = await approve(null, STATE, [RELEASE]);
    expect(events).toContain(`  reason: command line, despite the release ${RELEASE}`);
    const open = { ...others(STATE), reason: `it paid another, ${RELEASE}` };
    await expect(approve(open, STATE, [])).rejects.toThrow(objection);
    await expect(approve(others(STATE), STATE, [RELEASE])).rejects.toThrow(objection);
    expect((await approve(open, STATE, [RELEASE])).events).toContain('signed');
  });

  it('refuses to sign after a state change, or twice', async () => {
    const stale = others({ about: 'nothing' });
    await expect(approve(stale)).rejects.toThrow(`The state of request ${stale.id} has changed since it was made`);
    const { events, signed } = await approve(others(STATE, operator));
    expect(events[0]).toContain('You have already signed it');
    expect(signed).toBeUndefined();
  });
});
