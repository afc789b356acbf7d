/**
 * The condition that a delivery's number or id was reopened after it, by an event of the same chain, so that the
 * contract would pay it again. It also holds for a delivery with the right terms, which must never be paid again.
 *
 * @param event alias of the delivery's row of `chain_event`.
 * @param finalBlock SQL of the last block whose reopenings count; null for all.
 */
export function isReopened(event: string, finalBlock: string | null): string {
  return `EXISTS (
    SELECT 1 FROM reopened_id r WHERE r.operation_id = ${event}.operation_id AND r.chain_id = ${event}.chain_id
      ${finalBlock === null ? '' : `AND r.block_number <= ${finalBlock}`}
      AND (r.block_number, r.log_index) > (${event}.block_number, ${event}.log_index))`;
}

/**
 * The condition that an earlier delivery paid the same id with the same terms: its number or id was reopened although
 * it was paid.
 *
 * @param event alias of the delivery's row of `chain_event`.
 */
export function isRepeated(event: string): string {
  return `EXISTS (
    SELECT 1 FROM chain_event d WHERE d.operation_id = ${event}.operation_id AND d.name = ${event}.name
      AND d.chain_id = ${event}.chain_id AND d.args = ${event}.args
      AND (d.block_number, d.log_index) < (${event}.block_number, ${event}.log_index))`;
}
