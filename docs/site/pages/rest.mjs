import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { read, ROOT } from './routes.mjs';
import { fieldRows, json, schemaSections, table, describeType } from './schemas.mjs';

const link = (name) => `[${name}](schemas.md#${name.toLowerCase()})`;

/** The reference of the REST API from its OpenAPI document: a page for each tag, and one for the schemas. */
export async function readRest() {
  const { buildDocument } = await import(pathToFileURL(join(ROOT, 'apps/api/dist/openapi/document.js')).href);
  const examples = JSON.parse(read('apps/api/src/openapi/examples.json'));
  const { tags, paths, components, info } = buildDocument(examples, 'https://bridge.example');
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, endpoint]) => ({ path, method: method.toUpperCase(), ...endpoint })),
  );
  const pages = new Map();
  const file = (name) => `docs/reference/rest/${name}.md`;
  let index = `# REST API\n\n${info.description}\n\nPaths are below \`/api/v1\`.\n\n`;
  for (const { name, description } of tags) {
    const own = endpoints.filter((endpoint) => endpoint.tags.includes(name));
    pages.set(file(name.toLowerCase()), `# ${name}\n\n${description}\n\n${own.map(renderEndpoint).join('')}`);
    const rows = own.map(({ method, path, summary }) => [`\`${method} ${path}\``, summary]);
    index += `## ${name}\n\n[${description}](${name.toLowerCase()}.md)\n\n${table(rows, ['Endpoint', 'Answers'])}`;
  }
  const sections = schemaSections(components.schemas, link);
  pages.set(file('schemas'), `# Schemas\n\nThe answers of the REST API, field by field.\n\n${sections.join('')}`);
  return new Map([[file('README'), index], ...pages]);
}

function renderEndpoint({ method, path, summary, description, parameters = [], requestBody, responses, deprecated }) {
  const rows = parameters.map(({ name, in: where, required, description: text, schema }) => {
    const type = `${describeType(schema, link)}${schema.default === undefined ? '' : `, default \`${schema.default}\``}`;
    return [`\`${name}\``, `${where}${required ? '' : ', optional'}`, type, text ?? ''];
  });
  const body = requestBody?.content['application/json'];
  return [
    `## ${method} ${path}\n\n${summary}.\n\n${description ?? ''}\n\n`,
    deprecated === true ? '**Deprecated.**\n\n' : '',
    table(rows, ['Parameter', 'In', 'Type', 'Meaning']),
    body === undefined ? '' : `Body:\n\n${table(fieldRows(body.schema, link))}`,
    body?.example === undefined ? '' : json(body.example),
    ...Object.entries(responses).map(([status, answer]) => renderAnswer(status, answer)),
  ].join('');
}

function renderAnswer(status, { description, content = {} }) {
  const [media] = Object.values(content);
  const isError = media?.schema.$ref?.endsWith('/Error') === true;
  const type = media === undefined ? '' : ` ${describeType(media.schema, link)}`;
  const title = status === 'default' ? 'Otherwise' : status;
  const example = isError || media?.example === undefined ? '' : json(media.example);
  return `**${title}**${type}: ${description.replaceAll('<', '&lt;')}\n\n${example}`;
}
