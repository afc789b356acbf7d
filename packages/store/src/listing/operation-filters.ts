import {
  assetInfo,
  DIRECTIONS,
  listAssets,
  OPERATION_STATUSES,
  type Asset,
  type DelayReason,
  type Direction,
  type OperationKind,
  type OperationStatus,
} from '@causeway/protocol';
import type { Operation } from '../operations/operation.js';

/** Filters of a list of operations, combined with AND; null for any. */
export interface OperationFilters {
  readonly status: OperationStatus | null;
  /** The reason of a DELAYED operation. */
  readonly delay: DelayReason | null;
  readonly asset: Asset | null;
  readonly direction: Direction | null;
  readonly kind: OperationKind | null;
  /** Created at or after this time. */
  readonly from: Date | null;
  /** Created before this time. */
  readonly until: Date | null;
}

/** The leading columns of the list's index. */
export interface Facet {
  readonly status: OperationStatus;
  readonly kind: OperationKind;
  readonly asset: Asset;
  readonly direction: Direction;
}

function listShapes(asset: Asset): Omit<Facet, 'status'>[] {
  const begun =
    assetInfo(asset).coinOf === 'partner' ? (['NATIVE_WITHDRAWAL', 'INTENT'] as const) : (['BURN'] as const);
  return [
    { kind: 'DEPOSIT', asset, direction: 'ETHEREUM_TO_PARTNER' },
    ...begun.map((kind) => ({ kind, asset, direction: 'PARTNER_TO_ETHEREUM' }) as const),
    ...DIRECTIONS.map((direction) => ({ kind: 'TRANSFER', asset, direction }) as const),
  ];
}

/**
 * Every combination that an operation can have under the database constraints `operation_kind_fits` and
 * `operation_transfer_has_failed`.
 */
function listFacets(): readonly Facet[] {
  return listAssets()
    .flatMap(listShapes)
    .flatMap((shape) =>
      (shape.kind === 'TRANSFER' ? (['FAILED'] as const) : OPERATION_STATUSES).map((status) => ({ ...shape, status })),
    );
}

/**
 * The combinations that match filters: at most 62 with the specification's assets. Each is a range of an index in list
 * order. Pure.
 */
export function computeFacets(filters: OperationFilters): Facet[] {
  const { asset, direction, kind } = filters;
  const status = filters.delay === null ? filters.status : 'DELAYED';
  // An operation has a reason only while it is DELAYED.
  if (filters.status !== null && filters.status !== status) return [];
  return listFacets().filter(
    (facet) =>
      (status === null || facet.status === status) &&
      (asset === null || facet.asset === asset) &&
      (direction === null || facet.direction === direction) &&
      (kind === null || facet.kind === kind),
  );
}

/** Whether an operation matches filters. Pure. */
export function matches(operation: Operation, filters: OperationFilters): boolean {
  const { status, delay, asset, direction, kind, from, until } = filters;
  return (
    (status === null || operation.status === status) &&
    (delay === null || (operation.status === 'DELAYED' && operation.delayedReason === delay)) &&
    (asset === null || operation.asset === asset) &&
    (direction === null || operation.direction === direction) &&
    (kind === null || operation.kind === kind) &&
    (from === null || operation.createdAt >= from) &&
    (until === null || operation.createdAt < until)
  );
}

/**
 * `matches` as an SQL condition on an operation `o`.
 *
 * @param first the number of its first parameter; the parameters are `filterValues` in order.
 */
export function matchesInSql(first: number): string {
  const [status, delay, asset, direction, kind, from, until] = Array.from({ length: 7 }, (_, n) => `$${first + n}`);
  return `(${status}::"OperationStatus" IS NULL OR o.status = ${status})
    AND (${delay}::"DelayReason" IS NULL OR (o.status = 'DELAYED' AND o.delayed_reason = ${delay}))
    AND (${asset}::"Asset" IS NULL OR o.asset = ${asset})
    AND (${direction}::"Direction" IS NULL OR o.direction = ${direction})
    AND (${kind}::"OperationKind" IS NULL OR o.kind = ${kind})
    AND (${from}::timestamptz IS NULL OR o.created_at >= ${from})
    AND (${until}::timestamptz IS NULL OR o.created_at < ${until})`;
}

/** The parameters of `matchesInSql`. */
export function filterValues(filters: OperationFilters): readonly (string | Date | null)[] {
  const { status, delay, asset, direction, kind, from, until } = filters;
  return [status, delay, asset, direction, kind, from, until];
}
