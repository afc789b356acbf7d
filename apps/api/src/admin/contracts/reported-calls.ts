import { findTransaction, type MinedTransaction } from '@causeway/chain';
import { adminTimelockAbi, bridgeLockAbi } from '@causeway/contracts/abi';
import { BridgeError, type Side } from '@causeway/protocol';
import type { ReportedCall } from '@causeway/protocol/admin';
import { Inject, Injectable } from '@nestjs/common';
import { decodeFunctionData, type Address, type Hex } from 'viem';
import { z } from 'zod';
import { BoundedLookups } from '../../bounded-lookups.js';
import type { Configuration } from '../../configuration.js';
import { CHAINS, CONFIGURATION, type Chains } from '../../infrastructure.js';
import { describeCall, UNDECODED, type DescribedCall } from '../../contracts/announced.js';

/** A transaction reported by a member. */
interface Claim {
  readonly side: Side;
  readonly txHash: Hex;
}

/** The transaction according to a quorum of nodes. */
type Shown =
  | { readonly state: 'pending' | 'unknown' }
  | { readonly state: 'mined'; readonly mined: MinedTransaction; readonly calls: readonly DescribedCall[] };

const WHY_NOT = { pending: 'it is not in a block yet', unknown: 'the nodes do not have it' };
const LIMITS = { concurrent: 8, waiting: 400, timeoutMs: 3_000, rememberMs: 15_000 };
/** A new transaction reaches our nodes later than the wallet's node, by up to this many milliseconds. */
const PROPAGATION_MS = 2_000;
/** The part of an audit row that names the transactions of a call. */
const claimsSchema = z.object({
  transactions: z.array(z.object({ side: z.enum(['ethereum', 'partner']), txHash: z.string() })),
});

/**
 * Checks transactions that members reported: which bridge functions they called, and whether they succeeded. The audit
 * row is a member's claim; the chain verifies it.
 */
@Injectable()
export class ReportedCalls {
  private readonly lookups = new BoundedLookups<Shown>(LIMITS, async (key) => this.read(toClaim(key)));

  constructor(
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Checks transactions before they are recorded. A transaction that cannot be read now is accepted and shown as not
   * confirmed.
   *
   * @throws BridgeError VALIDATION_ERROR when the nodes do not have it, or when it calls no bridge contract.
   */
  async check(claims: readonly Claim[]): Promise<void> {
    for (const claim of claims) {
      const shown = await this.find(claim);
      const { side, txHash } = claim;
      const refuse = (why: string) =>
        new BridgeError('VALIDATION_ERROR', `transactions: ${txHash} ${why}`, { field: 'transactions' });
      if (shown?.state === 'unknown')
        throw refuse(`is unknown to the nodes of ${side}; check hash and chain, and report it again when it is mined`);
      if (shown?.state === 'mined' && shown.calls.length === 0)
        throw refuse(`calls no contract of the bridge on ${side}`);
    }
  }

  /** Returns the transactions of an audit row. */
  async ofRow(after: unknown, actor: Address | null): Promise<ReportedCall[]> {
    const parsed = claimsSchema.safeParse(after);
    const claims = parsed.success ? parsed.data.transactions : [];
    return Promise.all(
      claims.map(async ({ side, txHash }) => {
        const claim = { side, txHash: txHash as Hex };
        const shown = await this.lookups.get(toKey(claim)).catch(() => null);
        return toReported(claim, shown, actor);
      }),
    );
  }

  /** Returns null when the nodes do not answer or do not agree. */
  private async find(claim: Claim): Promise<Shown | null> {
    try {
      const shown = await this.read(claim);
      if (shown.state !== 'unknown') return shown;
      await new Promise((resolve) => setTimeout(resolve, PROPAGATION_MS));
      return await this.read(claim);
    } catch {
      // The row is shown as not confirmed until the nodes answer.
      return null;
    }
  }

  private async read({ side, txHash }: Claim): Promise<Shown> {
    const { addressBook: book } = this.configuration;
    const connection = this.chains[side];
    const bridge = side === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
    // Both contracts inherit `owner` from the same base.
    const owner = { address: bridge, abi: bridgeLockAbi, functionName: 'owner' } as const;
    const blockNumber = await connection.agreedHead();
    const admin = await connection.agree((client) => client.readContract({ ...owner, blockNumber }));
    const found = await findTransaction(connection, txHash, [bridge, book[side].sentinel, admin]);
    if (typeof found === 'string') return { state: found };
    const describe = (target: Address, data: Hex) => describeCall(side, book, admin, target, data);
    return { state: 'mined', mined: found, calls: findCalls(found, describe) };
  }
}

/** Returns the call of a transaction and the call a timelock makes in it; empty when it touched no bridge contract. */
function findCalls({ to, input, logs }: MinedTransaction, describe: (to: Address, data: Hex) => DescribedCall) {
  const outer = to === null ? null : describe(to, input);
  // A multi-signature wallet makes the call inside its own transaction; the contract's logs show it.
  if (outer === null || (outer.functionName === UNDECODED && logs.length === 0)) return [];
  if (outer.contract !== 'AdminTimelock') return [outer];
  const { functionName, args } = decodeFunctionData({ abi: adminTimelockAbi, data: input });
  return functionName === 'schedule' || functionName === 'execute' ? [outer, describe(args[0], args[2])] : [outer];
}

function toReported({ side, txHash }: Claim, shown: Shown | null, actor: Address | null): ReportedCall {
  if (shown?.state !== 'mined') {
    const why = shown === null ? 'the nodes cannot be read now' : WHY_NOT[shown.state];
    const sentence = `Reported by ${actor ?? 'an unknown member'}, not confirmed: ${why}.`;
    return { side, txHash, state: 'NOT_CONFIRMED', calls: [], sender: null, blockNumber: null, sentence };
  }
  const { mined, calls } = shown;
  const { from: sender, succeeded } = mined;
  const blockNumber = Number(mined.blockNumber);
  const names = calls.map(({ contract, functionName }) => `${contract}.${functionName}`).join(' of ');
  const end = succeeded ? 'succeeded' : 'reverted';
  return {
    side,
    txHash,
    state: calls.length === 0 ? 'FOREIGN' : succeeded ? 'SUCCEEDED' : 'REVERTED',
    calls: calls.map((call) => ({ ...call })),
    sender,
    blockNumber,
    sentence:
      calls.length === 0
        ? `It calls no contract of the bridge. ${sender} sent it in block ${blockNumber}.`
        : `${names} by ${sender} ${end} in block ${blockNumber}.`,
  };
}

function toKey({ side, txHash }: Claim): string {
  return `${side} ${txHash}`;
}

function toClaim(key: string): Claim {
  const [side, txHash] = key.split(' ');
  return { side: side as Side, txHash: txHash as Hex };
}
