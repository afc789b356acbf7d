import { createRoles, migrate, ROLES } from '@causeway/store/schema';

/** Creates the roles and the tables. Each role's password is its name. */
export async function makeTables(url: string): Promise<void> {
  await createRoles(url, Object.fromEntries(ROLES.map((role) => [role, role])));
  await migrate(url);
}
