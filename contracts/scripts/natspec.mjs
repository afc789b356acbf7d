import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const solc = require('solc');

const HEADINGS = {
  constructor: 'Constructor',
  function: 'Functions',
  value: 'Values',
  event: 'Events',
  error: 'Errors',
  struct: 'Structs',
};

/**
 * Reads the public items of Solidity sources, with their NatSpec.
 *
 * @param sources contents by file name. They are only parsed, so imports may be missing.
 * @returns contracts in the order of the files, each with its items in the order of the source.
 */
export function readItems(sources) {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(sources).map(([name, content]) => [name, { content }])),
    settings: { stopAfter: 'parsing', outputSelection: { '*': { '': ['ast'] } } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const failed = (output.errors ?? []).find(({ severity }) => severity === 'error');
  if (failed) throw new Error(failed.formattedMessage);
  return Object.keys(sources).flatMap((file) => {
    const text = Buffer.from(sources[file]);
    const contracts = output.sources[file].ast.nodes.filter(({ nodeType }) => nodeType === 'ContractDefinition');
    return contracts.map((contract) => ({
      file,
      name: contract.name,
      kind: contract.abstract ? 'abstract contract' : contract.contractKind,
      doc: parseTags(contract.documentation),
      items: contract.nodes.flatMap((node) => toItem(node, contract.contractKind, text)),
    }));
  });
}

function toItem(node, contractKind, text) {
  const doc = parseTags(node.nodeType === 'VariableDeclaration' ? commentBefore(node, text) : node.documentation);
  const base = { name: node.name, doc, params: [], returns: [], signature: formatSignature(node, text) };
  const named = (list) => (list?.parameters ?? []).map(({ name }) => name);
  if (node.nodeType === 'EventDefinition') return [{ ...base, kind: 'event', params: named(node.parameters) }];
  if (node.nodeType === 'ErrorDefinition') return [{ ...base, kind: 'error', params: named(node.parameters) }];
  if (node.nodeType === 'StructDefinition') {
    return [{ ...base, kind: 'struct', params: node.members.map(({ name }) => name) }];
  }
  if (node.nodeType === 'VariableDeclaration') return node.visibility === 'public' ? [{ ...base, kind: 'value' }] : [];
  if (node.nodeType !== 'FunctionDefinition') return [];
  const offered =
    ['public', 'external'].includes(node.visibility) || (contractKind === 'library' && node.visibility !== 'private');
  if (node.kind === 'constructor') {
    return [{ ...base, kind: 'constructor', name: 'constructor', params: named(node.parameters) }];
  }
  if (!offered) return [];
  // Unnamed return values need documentation too.
  return [{ ...base, kind: 'function', params: named(node.parameters), returns: named(node.returnParameters) }];
}

/** The declaration in one line, without its body. */
function formatSignature({ src, nodeType, body }, text) {
  const [start, length] = src.split(':').map(Number);
  const end = body ? Number(body.src.split(':')[0]) : start + length;
  const whole = text.subarray(start, end).toString();
  if (nodeType === 'StructDefinition') return whole;
  return whole.replaceAll(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')').trim().replace(/;$/, '');
}

/** The comment above a state variable, for which the parser returns no documentation. */
function commentBefore({ src }, text) {
  const above = text
    .subarray(0, Number(src.split(':')[0]))
    .toString()
    .trimEnd()
    .split('\n');
  const first = above.findLastIndex((line) => !line.trim().startsWith('///')) + 1;
  return {
    text: above
      .slice(first)
      .map((line) => line.trim().slice(3))
      .join('\n'),
  };
}

/** NatSpec tags in order: text before the first one is a notice. */
function parseTags(documentation) {
  const tags = [];
  for (const line of (documentation?.text ?? '').split('\n')) {
    const [, tag, rest] = /^\s*@(\w+)\s*(.*)$/.exec(line) ?? [];
    if (tag !== undefined) tags.push({ tag, text: rest });
    else if (line.trim() !== '') {
      if (tags.length === 0) tags.push({ tag: 'notice', text: line.trim() });
      else tags.at(-1).text = `${tags.at(-1).text}\n${line.trim()}`.trim();
    } else if (tags.length > 0) tags.at(-1).text += '\n';
  }
  return tags;
}

/**
 * Finds the gaps in the contracts' NatSpec. Each contract needs a title and a notice; each item a notice, and every
 * parameter and return value. An item with @inheritdoc is complete.
 *
 * @param contracts the result of readItems.
 * @returns one line for each gap.
 */
export function missingNatspec(contracts) {
  return contracts.flatMap(({ file, name, doc, items, kind }) => {
    const gaps = ['title', 'notice'].filter((tag) => !has(doc, tag)).map((tag) => `${file}: ${name} lacks @${tag}`);
    for (const item of items) {
      if (has(item.doc, 'inheritdoc')) continue;
      const where = `${file}: ${item.kind} ${item.name}`;
      // Items for the contract's own code: a struct needs a @dev comment for readers.
      const own =
        (item.kind === 'struct' && has(item.doc, 'dev')) ||
        (item.kind === 'constructor' && kind === 'abstract contract');
      if (own) continue;
      if (!has(item.doc, 'notice')) gaps.push(`${where} lacks @notice`);
      for (const param of item.params) {
        const found = item.doc.some(({ tag, text }) => tag === 'param' && text.startsWith(`${param} `));
        if (!found) gaps.push(`${where} lacks @param ${param}`);
      }
      const returned = item.doc.filter(({ tag }) => tag === 'return').length;
      if (returned < item.returns.length) gaps.push(`${where} lacks @return`);
    }
    return gaps;
  });
}

function has(doc, wanted) {
  return doc.some(({ tag, text }) => tag === wanted && text !== '');
}

/**
 * Writes the reference page of a contract from its NatSpec.
 *
 * @param contract one item of the result of readItems.
 * @returns Markdown.
 */
export function renderPage({ file, name, kind, doc, items }) {
  const lines = [`# ${name}`, '', `${getText(doc, 'title')} (${kind}, \`${file}\`)`, '', getText(doc, 'notice'), ''];
  const details = getText(doc, 'dev');
  if (details !== '') lines.push(details, '');
  for (const [wanted, heading] of Object.entries(HEADINGS)) {
    const chosen = items.filter((item) => item.kind === wanted && !item.doc.some(({ tag }) => tag === 'inheritdoc'));
    const shown = chosen.filter(({ doc: own }) => getText(own, 'notice') !== '');
    if (shown.length === 0) continue;
    lines.push(`## ${heading}`, '');
    for (const item of shown) lines.push(...renderItem(item));
  }
  const inherited = items.flatMap(({ name: own, doc: tags }) =>
    tags.filter(({ tag }) => tag === 'inheritdoc').map(({ text }) => `\`${own}\` ([${text}](${text}.md))`),
  );
  const linked = inherited.filter((entry) => /\[I/.test(entry));
  if (linked.length > 0) lines.push('## Documented in its interfaces', '', `${linked.join(', ')}.`, '');
  return `${lines.join('\n').trimEnd()}\n`;
}

function renderItem({ name, signature, doc }) {
  const lines = [`### ${name}`, '', '```solidity', signature, '```', '', getText(doc, 'notice'), ''];
  const details = getText(doc, 'dev');
  if (details !== '') lines.push(details, '');
  const parts = doc.filter(({ tag }) => tag === 'param' || tag === 'return');
  for (const { tag, text } of parts) {
    const flat = text.replaceAll('\n', ' ').trim();
    const [, first, rest] = /^(\S+) (.*)$/.exec(flat) ?? [undefined, '', flat];
    lines.push(tag === 'param' ? `- \`${first}\`: ${rest}` : `- returns ${flat}`);
  }
  if (parts.length > 0) lines.push('');
  return lines;
}

function getText(doc, wanted) {
  const found = doc.filter(({ tag }) => tag === wanted).map(({ text }) => text.trim());
  return found.join('\n\n').replaceAll('<', '&lt;');
}
