import { aHash, anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import type { Pool } from 'pg';
import type { Hex } from 'viem';
import { BUSY } from '../../../../packages/store/bench/large-store.js';

/** Inserts a transfer that pays no intent and waits for its refund, which has the same id. */
export async function insertFailed(sql: Pool, id: Hex): Promise<void> {
  await sql.query(`
    INSERT INTO operation (id, kind, direction, asset, status, amount, fee, fee_bps, output_amount, sender, recipient, origin_tx_hash,
      origin_block_number, origin_block_hash, origin_chain_id, destination_chain_id, required_confirmations, finalized_at, failure_reason, refund_id, created_at)
    VALUES ('${id}', 'TRANSFER', 'PARTNER_TO_ETHEREUM', 'XCN', 'FAILED', 5000000000000000000, 0, 0, 0, '${BUSY}', '${BUSY}', '${aHash()}',
      1, '${aHash()}', ${PARTNER}, ${ETHEREUM}, 1, now(), 'TRANSFER_UNMATCHED', '${id}', now() - interval '2 days')`);
  await sql.query(`
    INSERT INTO refund (id, operation_id, chain_id, asset, wallet, payer, amount, created_at)
    VALUES ('${id}', '${id}', ${PARTNER}, 'XCN', '${anAddress('wallet')}', '${BUSY}', 5000000000000000000, now() - interval '2 days')`);
}

/** Inserts a withdrawal of 1,000 units, 25 of them fee, that completed some hours ago. */
export async function insertCompleted(sql: Pool, hours: number, kind: string, asset: string): Promise<void> {
  await sql.query(`
        INSERT INTO operation (id, kind, direction, asset, status, amount, fee, fee_bps, output_amount, sender, recipient, origin_nonce,
          origin_tx_hash, origin_block_number, origin_block_hash, origin_chain_id, destination_chain_id, required_confirmations,
          finalized_at, destination_tx_hash, settled_at, settled_block_number, settled_credited, created_at)
        VALUES ('${aHash()}', '${kind}', 'PARTNER_TO_ETHEREUM', '${asset}', 'COMPLETED', 1000, 25, 250, 975, '${BUSY}', '${BUSY}', 1, '${aHash()}',
          1, '${aHash()}', ${PARTNER}, ${ETHEREUM}, 1, now(), '${aHash()}', now() - interval '${hours} hours', 1, false, now() - interval '9 days')`);
}
