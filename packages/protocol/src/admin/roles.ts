// Without schemas: the first page of the console loads it.

/** The rights of a member of the admin API. Each role may do what those before it may. */
export const ADMIN_ROLES = ['viewer', 'operator', 'admin'] as const;
/** One of the roles. */
export type AdminRole = (typeof ADMIN_ROLES)[number];

/** Whether a role may do what another one may. */
export function includesRole(role: AdminRole, needed: AdminRole): boolean {
  return ADMIN_ROLES.indexOf(role) >= ADMIN_ROLES.indexOf(needed);
}
