// Without schemas: the first page of the console loads it.

/** What a member of the admin API may do. Each role may do what those before it may. */
export const ADMIN_ROLES = ['viewer', 'operator', 'admin'] as const;
/** One of the roles. */
export type AdminRole = (typeof ADMIN_ROLES)[number];

/** Whether a role may do what another one may. */
export function includesRole(role: AdminRole, needed: AdminRole): boolean {
  return ADMIN_ROLES.indexOf(role) >= ADMIN_ROLES.indexOf(needed);
}
