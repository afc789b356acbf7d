import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackages, root } from './workspace.mjs';

const RECORD = join(root, 'apps/api/src/openapi/released.json');

/** Records the OpenAPI document of this release, with which a test compares later ones. */
export async function recordOpenApi() {
  buildPackages(['@causeway/api']);
  const { buildDocument } = await import(join(root, 'apps/api/dist/openapi/document.js'));
  const { withoutWords } = await import(join(root, 'apps/api/dist/openapi/compatibility.js'));
  const { paths, components } = withoutWords(buildDocument({}, 'https://bridge.example'));
  writeFileSync(
    RECORD,
    `{"paths":{\n${writeLines(paths)}},"components":{"schemas":{\n${writeLines(components.schemas)}}}}\n`,
  );
}

/** Writes one line for each endpoint or schema, so that releases differ in only a few lines. */
function writeLines(object) {
  const lines = Object.entries(object).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `${lines.join(',\n')}\n`;
}
