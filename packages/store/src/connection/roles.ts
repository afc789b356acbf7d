import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { Client, escapeIdentifier, escapeLiteral, type ClientBase } from 'pg';
import {
  ACCESS,
  BACKUP_FUNCTION,
  BACKUP_ROLE,
  CALLED_FUNCTIONS,
  ROLES,
  SERVER_BACKUP_FUNCTIONS,
  type GrantedRole,
  type Role,
} from './access.js';
import { MigrationRefusedError } from './migration-refused.js';
import { getSchema, pinSession } from './session.js';

const OWNER = 'causeway_owner';
const GRANTED = ROLES.filter((role) => role !== OWNER);
const isGranted = (role: Role): role is GrantedRole => role !== OWNER && role !== BACKUP_ROLE;
const LOCK_TIMEOUT_MS = 5_000;
const VERIFIER = /^SCRAM-SHA-256\$\d+:[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+$/;
const ITERATIONS = 4_096;

/** Passwords, or their SCRAM verifiers. A role that is not listed keeps its password; a new role has none. */
export type Passwords = Readonly<Partial<Record<Role, string | undefined>>>;

interface CreatedRoles {
  readonly members: readonly string[];
  readonly canBackUp: boolean;
}

/**
 * Creates or updates the roles: `causeway_owner` owns the schema and everything in it, and the others get the rights of
 * `ACCESS`. Runs in one transaction, and is idempotent. A former owner that is not a superuser becomes a member of
 * `causeway_owner`, so that programs that still connect as the former owner continue to work.
 *
 * @param databaseUrl of a superuser, or of the database's owner with CREATEROLE.
 * @returns the login roles that are members of `causeway_owner`, and whether `causeway_backup` can make backups, which
 * only a superuser can allow.
 * @throws MigrationRefusedError
 */
export async function createRoles(databaseUrl: string, passwords: Passwords = {}): Promise<CreatedRoles> {
  const more = { lock_timeout: `${LOCK_TIMEOUT_MS}` };
  const client = new Client({ connectionString: pinSession(databaseUrl, { more }) });
  try {
    await client.connect();
    await client.query('BEGIN');
    const { rows } = await client.query<{ database: string }>('SELECT current_database() AS database');
    for (const role of ROLES) await createRole(client, role, passwords[role]);
    const database = escapeIdentifier(rows[0]?.database ?? '');
    const schema = getSchema(databaseUrl);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${escapeIdentifier(schema)}`);
    await takeOwnership(client, escapeIdentifier(schema));
    await grantBackups(client);
    await client.query(
      `REVOKE ALL ON DATABASE ${database} FROM PUBLIC;
       GRANT CONNECT ON DATABASE ${database} TO ${ROLES.join(', ')};
       SET LOCAL ROLE ${OWNER}`,
    );
    await grantAccess(client, schema);
    await client.query('COMMIT');
    return { members: await readMembers(client), canBackUp: await readCanBackUp(client) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new MigrationRefusedError(`No role was changed: ${reason}`, { cause });
  } finally {
    await client.end();
  }
}

async function createRole(client: ClientBase, role: Role, password: string | undefined): Promise<void> {
  const { rows } = await client.query<{ rolsuper: boolean }>('SELECT rolsuper FROM pg_roles WHERE rolname = $1', [
    role,
  ]);
  if (rows[0]?.rolsuper === true) throw new Error(`${role} is a superuser, which no grant limits`);
  if (rows[0] === undefined) await client.query(`CREATE ROLE ${role}`);
  // SASLprep would alter other characters.
  if (password !== undefined && !/^[\x21-\x7e]+$/.test(password))
    throw new Error(`the password of ${role} must be printable ASCII without spaces, or a SCRAM verifier`);
  const secret = password === undefined ? '' : `PASSWORD ${escapeLiteral(toVerifier(password))}`;
  await client.query(`ALTER ROLE ${role} LOGIN ${secret}`);
}

/**
 * The SCRAM verifier of a password (RFC 5803), which PostgreSQL stores unchanged. The password never leaves this
 * machine, and appears in no statement log.
 */
function toVerifier(password: string): string {
  if (VERIFIER.test(password)) return password;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const hmac = (name: string) => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`;
}

/** Transfers the schema, its tables, types and functions to the owner. */
async function takeOwnership(client: ClientBase, schema: string): Promise<void> {
  // A login that is not a superuser can transfer objects only to a role of which it is a member.
  await client.query(
    `DO $$ BEGIN IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
       EXECUTE format('GRANT ${OWNER} TO %I', current_user); END IF; END $$`,
  );
  // The schema comes first: the owner of a table must be able to create in its schema.
  await client.query(`ALTER SCHEMA ${schema} OWNER TO ${OWNER}`);
  const { rows } = await client.query<{ statement: string }>(
    `WITH thing (kind, name, owner) AS (
       SELECT 'TABLE', oid::regclass::text, relowner FROM pg_class
         WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p', 'v', 'm')
       UNION ALL SELECT 'TYPE', oid::regtype::text, typowner FROM pg_type
         WHERE typnamespace = $1::regnamespace AND typtype IN ('e', 'd')
       UNION ALL SELECT 'ROUTINE', oid::regprocedure::text, proowner FROM pg_proc WHERE pronamespace = $1::regnamespace)
     SELECT format('ALTER %s %s OWNER TO ${OWNER}', kind, name) AS statement FROM thing
       WHERE owner <> '${OWNER}'::regrole
     UNION ALL SELECT format('GRANT ${OWNER} TO %s', owner::regrole) FROM thing
       WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE pg_roles.oid = owner AND (rolsuper OR rolname = '${OWNER}'))
       GROUP BY owner`,
    [schema],
  );
  for (const { statement } of rows) await client.query(statement);
}

/** Whether the schema, and so everything in it, belongs to the owner of `createRoles`. */
export async function belongsToOwner(client: ClientBase, schema: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT 1 FROM pg_namespace WHERE nspname = $1 AND nspowner = to_regrole('${OWNER}')`,
    [schema],
  );
  return rowCount === 1;
}

/** Lets a session act as the owner. @throws MigrationRefusedError when its login is not a member of the owner. */
export async function becomeOwner(client: ClientBase): Promise<void> {
  try {
    await client.query(`SET ROLE ${OWNER}`);
  } catch (cause) {
    throw new MigrationRefusedError(`The tables belong to ${OWNER}: DATABASE_URL must be its login`, { cause });
  }
}

/** Grants the rights of `ACCESS` on the existing tables, and revokes all others. The session must act as the owner. */
export async function grantAccess(client: ClientBase, schema: string): Promise<void> {
  const all = [escapeIdentifier(schema), ['PUBLIC', ...GRANTED].join(', ')].join(' FROM ');
  const { rows } = await client.query<{ name: string; sequence: string | null }>(
    `SELECT c.relname AS name, s.oid::regclass::text AS sequence FROM pg_class c
     LEFT JOIN pg_depend d ON d.refobjid = c.oid AND d.deptype = 'a' AND d.classid = 'pg_class'::regclass
     LEFT JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
     WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'r'`,
    [escapeIdentifier(schema)],
  );
  const grants = rows.flatMap(({ name, sequence }) =>
    GRANTED.filter(isGranted).flatMap((role) => {
      const rights = ACCESS[name]?.[role] ?? null;
      if (rights === null) return [];
      const onTable = `GRANT ${rights} ON ${escapeIdentifier(name)} TO ${role}`;
      return sequence !== null && rights.includes('INSERT')
        ? [onTable, `GRANT USAGE ON SEQUENCE ${sequence} TO ${role}`]
        : [onTable];
    }),
  );
  const functions = CALLED_FUNCTIONS.map((name) => `GRANT EXECUTE ON FUNCTION ${name} TO ${GRANTED.join(', ')}`);
  const statements = [
    `REVOKE ALL ON SCHEMA ${all}`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA ${all}`,
    `REVOKE ALL ON ALL SEQUENCES IN SCHEMA ${all}`,
    `REVOKE ALL ON ALL ROUTINES IN SCHEMA ${all}`,
    `GRANT USAGE ON SCHEMA ${escapeIdentifier(schema)} TO ${GRANTED.join(', ')}`,
    ...grants,
    ...(grants.length === 0 ? [] : [...functions, `GRANT EXECUTE ON FUNCTION ${BACKUP_FUNCTION} TO ${BACKUP_ROLE}`]),
  ];
  // One message is one transaction, so no program loses its rights in between.
  await client.query(statements.join(';\n'));
}

/** Lets the login of backups read the server's settings and make backups, if this login can allow it. */
async function grantBackups(client: ClientBase): Promise<void> {
  await client.query(
    `DO $$ BEGIN IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
       GRANT pg_read_all_settings TO ${BACKUP_ROLE};
       GRANT EXECUTE ON FUNCTION ${SERVER_BACKUP_FUNCTIONS.join(', ')} TO ${BACKUP_ROLE};
     END IF; END $$`,
  );
}

async function readCanBackUp(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ can: boolean }>(
    `SELECT bool_and(has_function_privilege('${BACKUP_ROLE}', name, 'EXECUTE')) AS can FROM unnest($1::text[]) AS name`,
    [SERVER_BACKUP_FUNCTIONS],
  );
  return rows[0]?.can === true;
}

async function readMembers(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ member: string }>(
    `SELECT DISTINCT member::regrole::text AS member FROM pg_auth_members WHERE roleid = '${OWNER}'::regrole ORDER BY 1`,
  );
  return rows.map(({ member }) => member);
}
