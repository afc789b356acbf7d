// Without schemas, because the first page of the console loads this file.

/** Roles of the admin API. Each role includes the rights of the roles before it. */
export const ADMIN_ROLES = ['viewer', 'operator', 'admin'] as const;
/** One of the roles. */
export type AdminRole = (typeof ADMIN_ROLES)[number];

/** Returns whether a role includes the rights of another. */
export function includesRole(role: AdminRole, needed: AdminRole): boolean {
  return ADMIN_ROLES.indexOf(role) >= ADMIN_ROLES.indexOf(needed);
}
