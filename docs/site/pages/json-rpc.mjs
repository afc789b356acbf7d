import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './routes.mjs';
import { json, schemaSections, table, describeType } from './schemas.mjs';

const link = (name) => `[${name}](schemas.md#${name.toLowerCase()})`;

/** Answers every property and call with itself: the document needs the methods' schemas and no chain. */
const NO_BACKEND = new Proxy(() => undefined, {
  get: (target, key) => (key === 'wholeCalls' ? undefined : NO_BACKEND),
  apply: () => NO_BACKEND,
});

/** The reference of the JSON-RPC from its OpenRPC document: a page for each namespace, and one for the schemas. */
export async function readJsonRpc() {
  const { createMethods } = await import(pathToFileURL(join(ROOT, 'apps/gateway/dist/methods/registry.js')).href);
  const { methods } = createMethods(NO_BACKEND, { title: 'Causeway', version: '1' }, console);
  const document = await methods.get('rpc.discover').run([], {});
  const groups = Map.groupBy(document.methods, ({ name }) => name.split(/[_.]/)[0]);
  const pages = new Map();
  const file = (name) => `docs/reference/json-rpc/${name}.md`;
  let index = `# JSON-RPC\n\n${document.info.description} A method \`rpc.discover\` answers this as OpenRPC.\n\n`;
  for (const [name, own] of groups) {
    pages.set(
      file(name),
      `# ${name}\n\nThe JSON-RPC methods of the namespace ${name}.\n\n${own.map(renderMethod).join('')}`,
    );
    const rows = own.map((method) => [`[${method.name}](${name}.md#${toId(method.name)})`, method.summary]);
    index += `## Methods of ${name}\n\n${table(rows, ['Method', 'Does'])}`;
  }
  const errors = Object.values(document.components.errors).map(({ code, message }) => [`${code}`, message]);
  index += `## Errors\n\n${table(errors, ['Code', 'Message'])}`;
  const sections = schemaSections(document.components.schemas, link);
  pages.set(file('schemas'), `# Schemas\n\nThe values that methods of the JSON-RPC share.\n\n${sections.join('')}`);
  return new Map([[file('README'), index], ...pages]);
}

/** The id that a heading of the site has. */
const toId = (name) => name.toLowerCase().replaceAll('.', '');

function renderMethod({ name, summary, params, result, examples = [], 'x-transport': transport }) {
  const rows = params.map(({ name: param, required, schema, description = '' }) => {
    const type = `${describeType(schema, link)}${schema.default === undefined ? '' : `, default \`${schema.default}\``}`;
    return [`\`${param}\``, `${type}${required ? '' : ', optional'}`, description];
  });
  const [example] = examples;
  const call = { jsonrpc: '2.0', id: 1, method: name, params: example?.params.map(({ value }) => value) };
  return [
    `## ${name}\n\n${summary.replaceAll('<', '&lt;')}\n\n`,
    transport.includes('http') ? '' : 'Needs a WebSocket connection.\n\n',
    table(rows, ['Parameter', 'Type', 'Meaning']),
    `Result \`${result.name}\`: ${describeType(result.schema, link)}\n\n`,
    example === undefined ? '' : `${json(call)}${json({ jsonrpc: '2.0', id: 1, result: example.result.value })}`,
  ].join('');
}
