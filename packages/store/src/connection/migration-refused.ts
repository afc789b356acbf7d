/** The migrations, or the roles, are not applied. The message says which, why, and how to go on. */
export class MigrationRefusedError extends Error {
  override readonly name = 'MigrationRefusedError';
  readonly docsPath = 'operate/upgrade.md';
}
