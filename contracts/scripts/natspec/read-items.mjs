import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const solc = require('solc');

/**
 * Reads every item of Solidity sources that somebody outside may use, with its NatSpec.
 *
 * @param sources contents by file name; only parsed, so imports need not be there.
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
      doc: tagsOf(contract.documentation),
      items: contract.nodes.flatMap((node) => itemOf(node, contract.contractKind, text)),
    }));
  });
}

function itemOf(node, contractKind, text) {
  const doc = tagsOf(node.nodeType === 'VariableDeclaration' ? commentBefore(node, text) : node.documentation);
  const base = { name: node.name, doc, params: [], returns: [], signature: signatureOf(node, text) };
  const named = (list) => (list?.parameters ?? []).map(({ name }) => name);
  if (node.nodeType === 'EventDefinition') return [{ ...base, kind: 'event', params: named(node.parameters) }];
  if (node.nodeType === 'ErrorDefinition') return [{ ...base, kind: 'error', params: named(node.parameters) }];
  if (node.nodeType === 'StructDefinition') {
    return [{ ...base, kind: 'struct', params: node.members.map(({ name }) => name) }];
  }
  if (node.nodeType === 'VariableDeclaration') return node.visibility === 'public' ? [{ ...base, kind: 'value' }] : [];
  if (node.nodeType !== 'FunctionDefinition') return [];
  const offered = ['public', 'external'].includes(node.visibility) || contractKind === 'library';
  if (node.kind === 'constructor') {
    // That of an abstract contract is nobody's to call.
    return [{ ...base, kind: 'constructor', name: 'constructor', params: named(node.parameters) }];
  }
  if (!offered) return [];
  // An unnamed return value is documented as well.
  return [{ ...base, kind: 'function', params: named(node.parameters), returns: named(node.returnParameters) }];
}

/** The declaration in one line, without its body. */
function signatureOf({ src, nodeType, body }, text) {
  const [start, length] = src.split(':').map(Number);
  const end = body ? Number(body.src.split(':')[0]) : start + length;
  const whole = text.subarray(start, end).toString();
  if (nodeType === 'StructDefinition') return whole;
  return whole.replaceAll(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')').trim().replace(/;$/, '');
}

/** What stands above a value: the parser keeps no documentation of those. */
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
function tagsOf(documentation) {
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
