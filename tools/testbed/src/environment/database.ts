import { describeError } from '@causeway/service/configuration';
import { createRoles, migrate, ROLES, type Role } from '@causeway/store/schema';

// The server of an environment is its own: each service has its role there, whose password is its name. On a server
// that was given, roles may be those of a real bridge; everything uses the login that was given.

/** The connection string of a role on a server of an environment. */
export function roleUrl(databaseUrl: string, role: Role): string {
  return Object.assign(new URL(databaseUrl), { username: role, password: role }).href;
}

/** Makes the roles, or updates them, and lets the owner apply the migrations. No program uses the database then. */
export async function makeTables(databaseUrl: string): Promise<void> {
  await createRoles(databaseUrl, Object.fromEntries(ROLES.map((role) => [role, role])));
  await migrate(roleUrl(databaseUrl, 'causeway_owner'), { mayContract: true });
}

/**
 * Makes the tables of an environment.
 *
 * @throws Error that names the database.
 */
export async function prepareDatabase(databaseUrl: string, isOurs: boolean): Promise<void> {
  try {
    await (isOurs ? makeTables(databaseUrl) : migrate(databaseUrl, { mayContract: true }));
  } catch (cause) {
    const { host, pathname } = new URL(databaseUrl);
    const [reason = ''] = describeError(cause).split('\n');
    throw new Error(`The database ${pathname.slice(1)} at ${host} cannot be used: ${reason}`, { cause });
  }
}
