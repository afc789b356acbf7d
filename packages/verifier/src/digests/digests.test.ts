import { computeRefundId as protocolRefundId, intentDigest, intentNonceHash, operationId } from '@causeway/protocol';
import { requestDigest } from '@causeway/protocol/admin';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesToHex, parseUnits } from 'viem';
import { computeIntentId, computeOperationId, computeRefundId } from './ids.js';
import { refundApprovalDigest } from './refund-approval.js';

// Compares with the ids and approvals that the services compute by separate code.

const hex = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => bytesToHex(bytes));
const address = hex(20);
const hash = hex(32);
const amount = fc.bigInt({ min: 1n, max: 2n ** 96n });
const domain = fc.record({ chainId: fc.integer({ min: 1, max: 2 ** 40 }), contract: address });

it('computes the ids of operations and intents like the protocol', () => {
  const terms = fc.record({ sender: address, recipient: address, amount, deadline: amount });
  fc.assert(
    fc.property(domain, amount, terms, fc.string({ unit: 'binary' }), (at, number, intent, nonce) => {
      const { chainId, contract } = at;
      expect(computeOperationId(at, number)).toBe(operationId(chainId, contract, number));
      const digest = intentDigest(
        { name: 'Causeway', version: '1', chainId, verifyingContract: contract },
        { ...intent, nonce },
      );
      expect(computeIntentId(at, { ...intent, nonceHash: intentNonceHash(nonce) })).toBe(digest);
    }),
  );
});

it('computes the ids of refunds like the protocol', () => {
  const place = fc.record({
    chainId: fc.integer({ min: 1, max: 2 ** 40 }),
    transactionHash: hash,
    asset: fc.constantFrom('ETH', 'USDC', 'XCN'),
    callIndex: fc.nat(),
  });
  fc.assert(
    fc.property(place, (given) => {
      expect(computeRefundId(given)).toBe(protocolRefundId({ ...given, txHash: given.transactionHash }));
    }),
  );
});

it('computes the digest of an approved refund like the console, including the text', () => {
  const reason = fc.string({ minLength: 3, maxLength: 60 });
  const [times, former] = [fc.integer({ min: 0, max: 4_000_000_000 }), fc.option(address)];
  const assets = fc.constantFrom(['ETH', 18] as const, ['USDC', 6] as const, ['XCN', 18] as const);
  const sums = fc.oneof(
    amount,
    fc.nat({ max: 2_000_000 }).map((whole) => parseUnits(`${whole}`, 18)),
  );
  const ids = fc.tuple(hash, hash, hash);
  fc.assert(
    fc.property(domain, ids, assets, sums, fc.tuple(address, address), reason, times, former, (...given) => {
      const [at, [refundId, requestId, operationHash], [asset, decimals], sum, [payer, recipient]] = given;
      const [, , , , , why, validUntil, formerRecipient] = given;
      const { chainId, contract: verifyingContract } = at;
      const facts = { operationId: operationHash, chainId, asset, amount: `${sum}`, payer, recipient: formerRecipient };
      const deployment = {
        domain: { name: 'Causeway', version: '1', chainId, verifyingContract },
        chainIds: { ethereum: 0, partner: chainId },
      } as const;
      const expected = requestDigest(deployment, {
        id: requestId,
        reason: why,
        validUntil,
        terms: { kind: 'REFUND_APPROVE', refundId, recipient, amount: `${sum}` },
        decidedOn: { about: 'refund', status: 'APPROVED', ...facts },
      });
      const refund = { refundId, chainId, asset, decimals, amount: sum, payer, recipient };
      const approval = { requestId, reason: why, validUntil, status: 'APPROVED', formerRecipient };
      const named = { ...approval, operationId: operationHash, signatures: [] };
      expect(refundApprovalDigest(at, refund, named)).toBe(expected);
    }),
    { numRuns: 200 },
  );
});
