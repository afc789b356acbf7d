import type { AddressBook } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { DatabaseProblem } from './inspect-database.js';

interface Deployment {
  readonly environment: string;
  readonly ethereum_chain_id: number;
  readonly partner_chain_id: number;
  readonly bridge_lock: string;
  readonly bridge_mint: string;
}

const COLUMNS = 'environment, ethereum_chain_id, partner_chain_id, bridge_lock, bridge_mint';

/**
 * Claims a database that belongs to no deployment yet. One that has read other chains stays unclaimed: it was filled
 * before databases were claimed, for another address book.
 */
export async function claimDeployment(pool: Pool, book: AddressBook): Promise<void> {
  const ours = toDeployment(book);
  await pool.query(
    `INSERT INTO deployment (${COLUMNS}) SELECT $1, $2, $3, $4, $5
     WHERE NOT EXISTS (SELECT 1 FROM chain_cursor WHERE chain_id NOT IN ($2, $3)) ON CONFLICT DO NOTHING`,
    [ours.environment, ours.ethereum_chain_id, ours.partner_chain_id, ours.bridge_lock, ours.bridge_mint],
  );
}

/** The problem of a database that belongs to another deployment than that of an address book. */
export async function deploymentProblems(pool: Pool, book: AddressBook): Promise<DatabaseProblem[]> {
  const ours = toDeployment(book);
  const { rows } = await pool.query<Deployment>(`SELECT ${COLUMNS} FROM deployment`);
  const action = 'DATABASE_URL or ADDRESS_BOOK is of another environment: correct it';
  const [owner] = rows;
  if (owner !== undefined)
    return describe(owner) === describe(ours) ? [] : [{ finding: `it belongs to ${describe(owner)}`, action }];
  const { rows: foreign } = await pool.query<{ chain_id: number }>(
    'SELECT chain_id FROM chain_cursor WHERE chain_id NOT IN ($1, $2) ORDER BY chain_id',
    [ours.ethereum_chain_id, ours.partner_chain_id],
  );
  if (foreign.length === 0) return [];
  return [{ finding: `it has read the chain ${foreign.map(({ chain_id: id }) => id).join(' and ')}`, action }];
}

function toDeployment({ environment, ethereum, partner }: AddressBook): Deployment {
  return {
    environment,
    ethereum_chain_id: ethereum.chainId,
    partner_chain_id: partner.chainId,
    bridge_lock: ethereum.bridgeLock.toLowerCase(),
    bridge_mint: partner.bridgeMint.toLowerCase(),
  };
}

function describe({ environment, bridge_lock, bridge_mint, ...chains }: Deployment): string {
  return (
    `${environment}, with BridgeLock ${bridge_lock} on chain ${chains.ethereum_chain_id} and BridgeMint ${bridge_mint} ` +
    `on chain ${chains.partner_chain_id}`
  );
}
