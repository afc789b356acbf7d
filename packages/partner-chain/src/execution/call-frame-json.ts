import type { CallFrame } from './call-frame.js';

/** A call tree as JSON text; quantities are decimal strings. */
export function encodeCallFrame(frame: CallFrame): string {
  return JSON.stringify(frame, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

/** The call tree of such text. */
export function decodeCallFrame(text: string): CallFrame {
  return JSON.parse(text, (key, value: unknown) =>
    key === 'value' || key === 'gas' || key === 'gasUsed' ? BigInt(String(value)) : value,
  ) as CallFrame;
}
