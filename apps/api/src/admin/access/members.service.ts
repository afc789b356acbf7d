import {
  requestSnapshotSchema,
  isMemberApproved,
  requestDeployment,
  requestTermsSchema,
  type AdminRole,
  type ApprovedMember,
  type MembersResponse,
  type RequestDeployment,
} from '@causeway/protocol/admin';
import type { Store, StoredMember } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Address } from 'viem';
import { z } from 'zod';
import type { Configuration } from '../../configuration.js';
import { CONFIGURATION, STORE } from '../../infrastructure.js';
import type { MemberNames } from '../../admin-variables.js';

type Member = MembersResponse['members'][number];

const hex = z.string().regex(/^0x[0-9a-f]+$/);
/** The evidence that verifies a row. */
const evidenceSchema = z.object({
  request: z.object({
    id: hex,
    terms: requestTermsSchema,
    decidedOn: requestSnapshotSchema,
    reason: z.string(),
    validUntil: z.int(),
  }),
  approvals: z.array(z.object({ operator: hex, signature: hex })),
});

/** The allow-list: root members from the configuration and members added by requests. */
@Injectable()
export class MembersService {
  private readonly root: ReadonlyMap<Address, AdminRole>;
  private readonly rootAdmins: readonly Address[];
  private readonly names: MemberNames;
  private readonly deployment: RequestDeployment;

  constructor(
    @Inject(STORE) private readonly store: Pick<Store, 'adminMembers'>,
    @Inject(CONFIGURATION) { admin, addressBook }: Pick<Configuration, 'admin' | 'addressBook'>,
  ) {
    this.root = admin?.allowList ?? new Map();
    this.names = admin?.names ?? new Map();
    this.rootAdmins = [...this.root].filter(([, role]) => role === 'admin').map(([address]) => address);
    this.deployment = requestDeployment(addressBook);
  }

  /** Returns the current role of an address; null when it is not a member. */
  async findRole(address: Address): Promise<AdminRole | null> {
    const root = this.root.get(address);
    if (root !== undefined) return root;
    const row = await this.store.adminMembers.find(address);
    return row === null ? null : ((await this.verified(row))?.role ?? null);
  }

  /** Lists all members, configured members first. */
  async list(): Promise<Member[]> {
    const root = [...this.root].map(([address, role]): Member => {
      return { address, name: this.findName(address), role, source: 'configuration', addedBy: null, addedAt: null };
    });
    const rows = await this.store.adminMembers.list();
    const added = rows.filter(({ address }) => !this.root.has(address)).map(async (row) => this.verified(row));
    return [...root, ...(await Promise.all(added)).filter((member) => member !== null)];
  }

  /**
   * Returns the member of a row whose request two root admins of this configuration approved; otherwise null. So write
   * access to the database is not enough to add a member.
   */
  private async verified({ address, role, request, approvals, createdAt }: StoredMember): Promise<Member | null> {
    const evidence = evidenceSchema.safeParse({ request, approvals });
    if (!evidence.success) return null;
    const signed = evidence.data as Pick<ApprovedMember, 'request' | 'approvals'>;
    if (!(await isMemberApproved({ address, role, ...signed }, this.rootAdmins, this.deployment))) return null;
    const addedBy = signed.approvals[0]?.operator ?? null;
    const addedAt = createdAt.toISOString();
    return { address, name: this.findName(address), role, source: 'request', addedBy, addedAt };
  }

  private findName(address: Address): string | null {
    return this.names.get(address) ?? null;
  }
}
