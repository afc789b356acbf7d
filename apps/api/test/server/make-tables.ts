import { createRoles, migrate, ROLES } from '@causeway/store/schema';

/** Creates the roles and tables. The password of a role is its name. */
export async function makeTables(url: string): Promise<void> {
  await createRoles(url, Object.fromEntries(ROLES.map((role) => [role, role])));
  await migrate(url);
}
