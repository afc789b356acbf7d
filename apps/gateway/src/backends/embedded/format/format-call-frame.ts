import { WEI_PER_UNIT, type CallFrame } from '@causeway/partner-chain';
import { quantity } from './quantity.js';

/**
 * A call tree in the shape of geth's `callTracer`, values in wei. DELEGATECALL and STATICCALL move nothing and have no value.
 *
 * @param isDeep false for the outermost frame only (`onlyTopCall`).
 */
export function formatCallFrame(frame: CallFrame, isDeep: boolean): Readonly<Record<string, unknown>> {
  const movesValue = frame.type !== 'DELEGATECALL' && frame.type !== 'STATICCALL';
  return {
    type: frame.type,
    from: frame.from,
    ...(frame.to === null ? {} : { to: frame.to }),
    ...(movesValue ? { value: quantity(frame.value * WEI_PER_UNIT) } : {}),
    gas: quantity(frame.gas),
    gasUsed: quantity(frame.gasUsed),
    input: frame.input,
    ...(frame.output === '0x' ? {} : { output: frame.output }),
    ...(frame.error === null ? {} : { error: frame.error === 'revert' ? 'execution reverted' : frame.error }),
    ...(isDeep && frame.calls.length > 0 ? { calls: frame.calls.map((call) => formatCallFrame(call, true)) } : {}),
  };
}
