import { describeError } from '@causeway/service/configuration';
import { createRoles, migrate, ROLES, type Role } from '@causeway/store/schema';

// On the embedded server, each service has its own role, whose password is its name. On a given server, those roles can
// belong to a real bridge, so everything uses the given login.

/** The connection string of a role on the embedded server. */
export function roleUrl(databaseUrl: string, role: Role): string {
  return Object.assign(new URL(databaseUrl), { username: role, password: role }).href;
}

/** Creates or updates the roles and applies the migrations as the owner. No program may use the database meanwhile. */
export async function makeTables(databaseUrl: string): Promise<void> {
  await createRoles(databaseUrl, Object.fromEntries(ROLES.map((role) => [role, role])));
  await migrate(roleUrl(databaseUrl, 'causeway_owner'), { mayContract: true });
}

/**
 * Creates the tables of an environment.
 *
 * @throws Error naming the database.
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
