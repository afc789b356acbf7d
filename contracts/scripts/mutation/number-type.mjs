import { isRational, getType } from './syntax.mjs';

const NUMBER = /^uint\d+$/;
const known = (type) => (NUMBER.test(type) ? type : undefined);

/** The type of a constant number at its position; undefined when unclear. */
export function numberType({ node, ancestors, definition, declarations }) {
  const [parent, ...above] = ancestors;
  switch (parent.nodeType) {
    case 'BinaryOperation':
      return known(ofOperand(node, parent));
    case 'Assignment':
      return known(/^(?:<<|>>)=$/.test(parent.operator) ? 'uint256' : getType(parent.leftHandSide));
    case 'VariableDeclarationStatement':
      return parent.declarations.length === 1 ? known(getType(parent.declarations[0])) : undefined;
    case 'IndexAccess':
      return getType(parent.baseExpression).endsWith(']') ? 'uint256' : undefined;
    case 'Return':
      return known(getType(definition.returnParameters.parameters[0]));
    case 'Conditional':
      return isRational(parent) ? undefined : known(getType(parent));
    case 'FunctionCall':
      return known(ofArgument(node, parent, declarations));
    case 'TupleExpression':
      return ofComponent(parent.components.indexOf(node), parent, above, definition);
    default:
      return undefined;
  }
}

function ofOperand(node, { operator, leftExpression, commonType, typeDescriptions }) {
  const isShift = ['<<', '>>', '**'].includes(operator);
  if (isShift) return node === leftExpression ? typeDescriptions.typeString : 'uint256';
  return commonType.typeString;
}

function ofArgument(node, call, declarations) {
  if (call.expression.nodeType === 'NewExpression') return 'uint256';
  if (call.kind === 'typeConversion') return undefined;
  const callee = declarations.get(call.expression.referencedDeclaration);
  const parameters = callee?.parameters?.parameters ?? callee?.members ?? [];
  const parameter = parameters[call.arguments.indexOf(node)];
  return parameter === undefined ? undefined : getType(parameter);
}

function ofComponent(index, tuple, [parent], definition) {
  if (tuple.components.length === 1) return undefined;
  if (parent.nodeType === 'Return') return known(getType(definition.returnParameters.parameters[index]));
  if (parent.nodeType === 'VariableDeclarationStatement') return known(getType(parent.declarations[index]));
  return undefined;
}
