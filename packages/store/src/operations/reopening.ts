/**
 * The condition that the number or id of a delivery was opened again after it, by an event of the same chain: the
 * contract pays it once more. It holds for a delivery with the right terms, too, which must never be paid again.
 *
 * @param event alias of the delivery's row of `chain_event`.
 * @param finalBlock SQL of the last block whose openings count; null when all do.
 */
export function isReopened(event: string, finalBlock: string | null): string {
  return `EXISTS (
    SELECT 1 FROM reopened_id r WHERE r.operation_id = ${event}.operation_id AND r.chain_id = ${event}.chain_id
      ${finalBlock === null ? '' : `AND r.block_number <= ${finalBlock}`}
      AND (r.block_number, r.log_index) > (${event}.block_number, ${event}.log_index))`;
}

/**
 * The condition that a delivery pays what another one of its id paid before, with the same terms: its number or id was
 * opened again although it was paid.
 *
 * @param event alias of the delivery's row of `chain_event`.
 */
export function isRepeated(event: string): string {
  return `EXISTS (
    SELECT 1 FROM chain_event d WHERE d.operation_id = ${event}.operation_id AND d.name = ${event}.name
      AND d.chain_id = ${event}.chain_id AND d.args = ${event}.args
      AND (d.block_number, d.log_index) < (${event}.block_number, ${event}.log_index))`;
}
