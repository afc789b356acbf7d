import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Tests of packages below the apps find files of apps only through the test kit.

/** Reads the examples of the OpenAPI document, by operation: answers that a test got from the real API. */
export function readExampleAnswers(): Readonly<
  Record<string, { readonly response: Readonly<Record<string, unknown>> }>
> {
  return JSON.parse(readFileSync(join(workspaceRoot(), 'apps/api/src/openapi/examples.json'), 'utf8'));
}

/** The root of the workspace. */
export function workspaceRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'pnpm-workspace.yaml'))) {
    if (folder === dirname(folder)) throw new Error('The test kit runs only inside the workspace');
    folder = dirname(folder);
  }
  return folder;
}
