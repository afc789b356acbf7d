import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Files of apps, which tests of the packages below the apps find by the test kit only.

/** Reads what the real API answered to its test, by operation: the examples of the OpenAPI document. */
export function readExampleAnswers(): Readonly<
  Record<string, { readonly response: Readonly<Record<string, unknown>> }>
> {
  return JSON.parse(readFileSync(join(workspaceRoot(), 'apps/api/src/openapi/examples.json'), 'utf8'));
}

/** The root of the workspace. */
export function workspaceRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'pnpm-workspace.yaml'))) {
    if (folder === dirname(folder)) throw new Error('The test kit runs inside the workspace only');
    folder = dirname(folder);
  }
  return folder;
}
