import type { AdminRole } from '@causeway/protocol/admin';
import type { Pool } from 'pg';
import type { Address, Hex } from 'viem';
import { Prisma } from '../generated/prisma/client.js';
import { listColumns } from '../sql/columns.js';
import { query } from '../sql/query.js';

const COLUMNS = listColumns(Prisma.AdminMemberScalarFieldEnum, 'm');

/** A row of the allow-list. It proves nothing: the reader verifies the approvals against the configured root admins. */
export interface StoredMember {
  readonly address: Address;
  readonly role: AdminRole;
  readonly requestId: Hex;
  /** The signed request, not validated. */
  readonly request: unknown;
  /** Addresses and signatures. */
  readonly approvals: unknown;
  readonly createdAt: Date;
}

interface MemberRow {
  readonly address: Address;
  readonly role: AdminRole;
  readonly request_id: Hex;
  readonly request: unknown;
  readonly approvals: unknown;
  readonly created_at: Date;
}

/** Members that requests added to the allow-list. */
export class AdminMemberRepository {
  constructor(private readonly pool: Pool) {}

  /** The row of an address. Every request of such a member runs this query, so it is a prepared statement. */
  async find(address: Address): Promise<StoredMember | null> {
    const text = `SELECT ${COLUMNS} FROM admin_member m WHERE address = $1`;
    const rows = await query<MemberRow>(this.pool, { name: 'admin-member', text, values: [address] });
    return rows[0] === undefined ? null : toMember(rows[0]);
  }

  /** All rows, ordered by address. */
  async list(): Promise<StoredMember[]> {
    const rows = await query<MemberRow>(this.pool, { text: 'SELECT * FROM admin_member ORDER BY address' });
    return rows.map(toMember);
  }
}

function toMember({ address, role, request_id: requestId, request, approvals, created_at }: MemberRow): StoredMember {
  return { address, role, requestId, request, approvals, createdAt: created_at };
}
