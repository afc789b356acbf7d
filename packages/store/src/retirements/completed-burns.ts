/**
 * Completed burns that are in no retirement, of which both ends are among what was read: an operation that is completed
 * keeps its record when a reorg of what was final takes its burn or its payment, and then nothing is concluded from it.
 * The columns of `o`, `w` (its Withdraw event) and `r` (its Release event) may be asked for and restricted further.
 */
export const COMPLETED_BURNS = `
  FROM operation o
  JOIN chain_event w ON w.chain_id = o.origin_chain_id AND w.tx_hash = o.origin_tx_hash AND w.log_index = o.origin_log_index
    AND w.block_hash = o.origin_block_hash AND w.operation_id = o.id AND w.name = 'Withdraw'
  JOIN chain_event r ON r.chain_id = o.destination_chain_id AND r.tx_hash = o.destination_tx_hash
    AND r.operation_id = o.id AND r.name = 'Release'
  WHERE o.status = 'COMPLETED' AND o.kind = 'BURN'`;
