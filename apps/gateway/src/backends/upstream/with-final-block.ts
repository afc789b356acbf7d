const FINAL_TAGS: ReadonlySet<unknown> = new Set(['safe', 'finalized']);

/**
 * The params with a number in the place of `safe` and `finalized`: they follow the bridge's confirmations, and a node may mean something else by them.
 *
 * @param head the newest block that was shown; null while none is known, when the tags stay.
 * @param confirmations after which a block is final; its own block counts as the first.
 */
export function withFinalBlock(
  params: readonly unknown[],
  head: number | null,
  confirmations: number,
): readonly unknown[] {
  if (head === null || !params.some((param) => isFinalTag(param) || hasFinalTag(param))) return params;
  const final = `0x${Math.max(0, head - (confirmations - 1)).toString(16)}`;
  const settle = (value: unknown): unknown => (isFinalTag(value) ? final : value);
  return params.map((param) =>
    hasFinalTag(param)
      ? Object.fromEntries(Object.entries(param).map(([key, value]) => [key, settle(value)]))
      : settle(param),
  );
}

function isFinalTag(value: unknown): boolean {
  return FINAL_TAGS.has(value);
}

/** Whether it is an object, such as the filter of eth_getLogs, that names a block by such a tag. */
function hasFinalTag(param: unknown): param is object {
  return typeof param === 'object' && param !== null && Object.values(param).some(isFinalTag);
}
