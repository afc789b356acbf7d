import { isRational, getRange, getType, walk } from './syntax.mjs';
import { numberType } from './number-type.mjs';

// The mutation operators, each a kind of change. A mutant is a list of sites that change together.
// - { start, end, text }: replaces the expression there with this text.
// - { start, end, skip: true }: skips the statement there.
// - { start, end, never: true }: makes the assembly comparison there never true.
// - { modifier, function }: calls the function without this modifier.

const ARITHMETIC = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*', '**': '*' };
const BITS = { '&': '|', '|': '&', '^': '&', '<<': '>>', '>>': '<<' };
const LOGIC = { '&&': '||', '||': '&&' };
const BOUNDARY = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const NEGATION = { '<': '>=', '<=': '>', '>': '<=', '>=': '<', '==': '!=', '!=': '==' };
const ASSIGNMENT = { '+=': ['-='], '-=': ['+='], '|=': ['&=', '='], '&=': ['|='], '*=': ['/='], '/=': ['*='] };
const CONSTANT = { uint: ['+ 1', '- 1'], bytes32: ['^ bytes32(uint256(1))'] };
const ELEMENTARY = /^(?:u?int\d+|address|bytes32|bool)$/;
const LOOPS = /^(?:For|While|DoWhile)Statement$/;

/**
 * Finds all mutants of a source.
 *
 * @param tree the source's syntax tree.
 * @param source its text in bytes.
 * @param declarations the declarations of all sources by number.
 * @returns mutants with `operator`, `node` (its position), `within` (the ancestors of the node) and `sites`.
 */
export function* findMutants(tree, source, declarations) {
  const getText = (node) => source.subarray(getRange(node).start, getRange(node).end).toString();
  for (const { node, ancestors } of walk(tree)) {
    const definition = ancestors.find(({ nodeType }) => /^(?:Function|Modifier)Definition$/.test(nodeType));
    if (node.nodeType === 'FunctionDefinition') yield* modifiers(node, ancestors);
    if (definition === undefined || !isCode(node, ancestors, definition)) continue;
    const place = { node, ancestors, definition, declarations, getText };
    for (const operator of [statements, conditions, operations, numbers, results, swaps]) {
      for (const [name, sites] of operator(place)) yield { operator: name, node, within: ancestors, sites };
    }
    if (node.nodeType === 'InlineAssembly') yield* comparisons(node, ancestors, getText);
  }
}

/** Whether a node is in the body of a function. */
function isCode(node, ancestors, definition) {
  return definition.body && (node === definition.body || ancestors.includes(definition.body));
}

const replace = (node, text) => ({ ...getRange(node), text });

/** A constructor's modifiers are its bases. Internal functions have none in our sources. */
function* modifiers(node, within) {
  if (node.kind === 'constructor' || !node.body) return;
  for (const modifier of node.modifiers) {
    yield { operator: 'modifier', node: modifier, within: [node, ...within], sites: [{ modifier, function: node }] };
  }
}

/** An if that only reverts. */
function isGuard({ nodeType, trueBody, falseBody }) {
  const only = trueBody?.nodeType === 'Block' && trueBody.statements.length === 1 ? trueBody.statements[0] : trueBody;
  return nodeType === 'IfStatement' && !falseBody && only.nodeType === 'RevertStatement';
}

function* statements({ node, ancestors: [parent, grandparent] }) {
  const isHead = LOOPS.test(parent.nodeType) && parent.body !== node;
  const isGuarded = isGuard(parent) || (grandparent && isGuard(grandparent));
  const { nodeType } = node;
  const isRemovable =
    /^(?:ExpressionStatement|EmitStatement|TryStatement|InlineAssembly|Continue|Break)$/.test(nodeType) ||
    (nodeType === 'RevertStatement' && !isGuarded);
  if (isRemovable && !isHead) yield ['statement', [{ ...getRange(node), skip: true }]];
}

function* conditions({ node }) {
  if (isGuard(node)) {
    yield ['guard', [replace(node.condition, 'false')]];
  } else if (node.nodeType === 'IfStatement' || node.nodeType === 'Conditional') {
    yield ['condition', [replace(node.condition, 'true')]];
    yield ['condition', [replace(node.condition, 'false')]];
  } else if (LOOPS.test(node.nodeType) && node.condition) {
    yield ['condition', [replace(node.condition, 'false')]];
  }
}

function* operations({ node, ancestors: [parent], getText }) {
  // The negation of a whole condition is weaker than `true` and `false`.
  const isWhole = parent.condition === node;
  if (node.nodeType === 'BinaryOperation' && !isRational(node)) {
    const { operator, leftExpression: left, rightExpression: right } = node;
    const use = (other) => [replace(node, `${getText(left)} ${other} ${getText(right)}`)];
    if (operator in ARITHMETIC) yield ['arithmetic', use(ARITHMETIC[operator])];
    if (operator in BITS) yield ['bits', use(BITS[operator])];
    if (operator in BOUNDARY) yield ['boundary', use(BOUNDARY[operator])];
    if (operator in NEGATION && !isWhole) yield ['comparison', use(NEGATION[operator])];
    if (operator in LOGIC) {
      yield ['logic', use(LOGIC[operator])];
      const neutral = String(operator === '&&');
      for (const operand of [left, right]) {
        // For a chain, only the operands: each part would repeat them.
        if (operand.operator !== operator) yield ['operand', [replace(operand, neutral)]];
      }
    }
  } else if (node.nodeType === 'UnaryOperation' && '!~'.includes(node.operator) && !isWhole) {
    yield ['negation', [replace(node, getText(node.subExpression))]];
  } else if (node.nodeType === 'Assignment') {
    for (const other of ASSIGNMENT[node.operator] ?? []) {
      yield ['assignment', [replace(node, `${getText(node.leftHandSide)} ${other} ${getText(node.rightHandSide)}`)]];
    }
  }
}

/** Literal numbers plus one, except a zero in a comparison, whose operator changes instead. */
function* numbers(place) {
  const { node, ancestors, getText } = place;
  if (!isRational(node) || isRational(ancestors[0])) return;
  const type = numberType(place);
  const text = getText(node);
  if (type === undefined || (text === '0' && ['==', '!='].includes(ancestors[0].operator))) return;
  const shown = /^\d+$/.test(text) ? String(BigInt(text) + 1n) : `(${text} + 1)`;
  yield ['number', [{ ...replace(node, `${type}(${text} + 1)`), shown }]];
}

/** Other values of what a function returns. */
function* results({ node, ancestors: [parent], getText, definition, declarations }) {
  const value = parent.nodeType === 'Return' && parent.expression === node;
  if (node.nodeType === 'Literal' && node.kind === 'bool') {
    const isArgument = parent.nodeType === 'FunctionCall' || parent.nodeType === 'TupleExpression';
    if (value || isArgument) yield ['boolean', [replace(node, String(node.value !== 'true'))]];
  } else if (node.nodeType === 'MemberAccess' && getType(node).startsWith('enum ')) {
    const members = declarations.get(node.expression.referencedDeclaration)?.members ?? [];
    const index = members.findIndex(({ id }) => id === node.referencedDeclaration);
    const next = members[(index + 1) % members.length];
    const isCompared = parent.nodeType === 'BinaryOperation';
    if (index >= 0 && !isCompared) yield ['enum', [replace(node, `${getText(node.expression)}.${next.name}`)]];
  } else if (value && /^(?:Identifier|FunctionCall|MemberAccess|IndexAccess)$/.test(node.nodeType)) {
    const type = definition.returnParameters.parameters.length === 1 ? getType(node) : '';
    if (type === 'bool') yield ['result', [replace(node, `!${getText(node)}`)]];
    else if (ELEMENTARY.test(type)) yield ['result', [replace(node, `${type}(0)`)]];
  }
}

/** Makes comparisons in assembly never true. */
function* comparisons(block, within, getText) {
  for (const { node } of walk(block.AST)) {
    if (node.nodeType !== 'YulFunctionCall' || !/^(?:eq|iszero|s?lt|s?gt)$/.test(node.functionName.name)) continue;
    const shown = { original: getText(node), mutated: '0' };
    yield {
      operator: 'comparison',
      node,
      within: [block, ...within],
      sites: [{ ...getRange(node), never: true }],
      shown,
    };
  }
}

/** Swaps neighbours of one type, as arguments or in a tuple. */
function* swaps({ node, ancestors: [parent], getText, declarations }) {
  let list = [];
  if (node.nodeType === 'TupleExpression' && parent.leftHandSide !== node) {
    list = node.components;
  } else if (node.nodeType === 'FunctionCall' && node.kind === 'functionCall') {
    const called = declarations.get(node.expression.referencedDeclaration)?.nodeType;
    if (called === 'FunctionDefinition' || called === 'EventDefinition') list = node.arguments;
  }
  for (const [index, first] of list.slice(0, -1).entries()) {
    const second = list[index + 1];
    if (!first || !second || !ELEMENTARY.test(getType(first)) || getType(first) !== getType(second)) continue;
    if (getText(first) === getText(second)) continue;
    yield ['order', [replace(first, getText(second)), replace(second, getText(first))]];
  }
}

/**
 * Mutants of the named constants that a file declares: one more and one less, or another hash, at every use.
 *
 * @param file the file's name.
 * @param trees the syntax trees of all sources by name.
 */
export function* findConstantMutants(file, trees) {
  for (const { node, ancestors } of walk(trees[file])) {
    if (node.nodeType !== 'VariableDeclaration' || !node.constant) continue;
    const uses = Object.entries(trees).flatMap(([name, tree]) => findUses(node.id, name, tree));
    if (uses.length === 0) continue;
    for (const change of CONSTANT[getType(node).replace(/^uint\d+$/, 'uint')] ?? []) {
      const sites = uses.map((use) => ({ ...use, text: `${use.text} ${change}` }));
      const shown = { original: `constant ${node.name}`, mutated: `${node.name} ${change}` };
      yield { operator: 'constant', node, within: ancestors, sites, shown };
    }
  }
}

function findUses(id, file, tree) {
  return [...walk(tree)]
    .filter(({ node }) => node.referencedDeclaration === id && /^(?:Identifier|MemberAccess)$/.test(node.nodeType))
    .filter(({ ancestors }) => !ancestors.some((node) => node.constant || node.nodeType === 'ModifierInvocation'))
    .map(({ node }) => ({
      file,
      ...getRange(node),
      text: node.name ?? `${node.expression.name}.${node.memberName}`,
    }));
}
