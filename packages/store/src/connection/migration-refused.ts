/** The migrations or the roles were not applied. The message says which, why, and what to do. */
export class MigrationRefusedError extends Error {
  override readonly name = 'MigrationRefusedError';
  readonly docsPath = 'operate/upgrade.md';
}
