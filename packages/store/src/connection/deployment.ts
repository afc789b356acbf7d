import type { AddressBook } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Deployment as DeploymentModel } from '../generated/prisma/client.js';
import type { ColumnsOf } from '../sql/columns.js';
import { execute } from '../sql/query.js';
import { valuesInSql } from '../sql/rows-in-sql.js';
import type { DatabaseProblem } from './migrations.js';

const COLUMNS = 'environment, ethereum_chain_id, partner_chain_id, bridge_lock, bridge_mint';

type Deployment = ReturnType<typeof toDeployment>;

/** Claims a database for the deployment of the address book, unless a deployment has claimed it. */
export async function claimDeployment(pool: Pool, book: AddressBook): Promise<void> {
  await execute(pool)`INSERT INTO deployment ${valuesInSql(toDeployment(book))} ON CONFLICT DO NOTHING`;
}

/** Returns a problem when the database belongs to another deployment than the address book's. */
export async function deploymentProblems(pool: Pool, book: AddressBook): Promise<DatabaseProblem[]> {
  const { rows } = await pool.query<Deployment>(`SELECT ${COLUMNS} FROM deployment`);
  const [owner] = rows;
  if (owner === undefined || describe(owner) === describe(toDeployment(book))) return [];
  const action = 'DATABASE_URL or ADDRESS_BOOK is of another environment: correct it';
  return [{ finding: `it belongs to ${describe(owner)}`, action }];
}

function toDeployment({ environment, ethereum, partner }: AddressBook) {
  return {
    environment,
    ethereum_chain_id: ethereum.chainId,
    partner_chain_id: partner.chainId,
    bridge_lock: ethereum.bridgeLock.toLowerCase(),
    bridge_mint: partner.bridgeMint.toLowerCase(),
  } satisfies ColumnsOf<DeploymentModel, 'id' | 'claimedAt'>;
}

function describe({ environment, bridge_lock, bridge_mint, ...chains }: Deployment): string {
  return (
    `${environment}, with BridgeLock ${bridge_lock} on chain ${chains.ethereum_chain_id} and BridgeMint ${bridge_mint} ` +
    `on chain ${chains.partner_chain_id}`
  );
}
