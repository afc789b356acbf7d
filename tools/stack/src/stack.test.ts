import { describe, expect, it } from '@jest/globals';
import type { DelayReason, ErrorCode, OperationStatus } from '@causeway/protocol';
import type * as published from './stack.js';

type Equal<A, B> = [A, B] extends [B, A] ? true : false;

/** Compiles only with equal types. */
function same<A, B>(equal: Equal<A, B>): void {
  expect(equal).toBe(true);
}

describe('the public types, which import none', () => {
  it('have the members of the protocol', () => {
    same<published.OperationStatus, OperationStatus>(true);
    same<published.DelayReason, DelayReason>(true);
    same<published.ErrorCode, ErrorCode>(true);
  });
});
