/**
 * The type of a JSON schema in a few words, for a cell of a table.
 *
 * @param link makes a link of the name of a shared schema.
 */
export function describeType(schema, link) {
  const { $ref, const: only, enum: values, anyOf, oneOf, allOf, type, items } = schema;
  if ($ref !== undefined) return link($ref.split('/').at(-1));
  if (only !== undefined) return code(JSON.stringify(only));
  if (values !== undefined) return values.map((value) => code(value)).join(', ');
  const choices = anyOf ?? oneOf ?? allOf;
  if (choices !== undefined) return [...new Set(choices.map((one) => describeType(one, link)))].join(' or ');
  if (type === 'array') return items === undefined ? 'array' : `array of ${describeType(items, link)}`;
  return Array.isArray(type) ? type.join(' or ') : (type ?? 'any');
}

const code = (value) => `\`${value}\``;
const inCell = (text = '') => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;');

/** A table of rows `[name, type, meaning]`. Empty without rows. */
export function table(rows, titles = ['Field', 'Type', 'Meaning']) {
  if (rows.length === 0) return '';
  const lines = [titles, titles.map(() => '---'), ...rows.map((cells) => cells.map(inCell))];
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n\n`;
}

/** The fields of an object as rows, those of objects in it by their path: `fee.amount`, `items[].id`. */
export function fieldRows(schema, link, prefix = '') {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const type = `${describeType(field, link)}${field.default === undefined ? '' : `, default \`${field.default}\``}`;
    const required = schema.required?.includes(name) === false ? ', optional' : '';
    return [[code(path), `${type}${required}`, field.description ?? ''], ...nestedRows(field, link, path)];
  });
}

function nestedRows(field, link, path) {
  const choices = field.anyOf ?? field.oneOf ?? field.allOf ?? [];
  if (choices.length > 0) return choices.flatMap((one) => nestedRows(one, link, path));
  if (field.type === 'array') return nestedRows(field.items ?? {}, link, `${path}[]`);
  return fieldRows(field, link, `${path}.`);
}

/** A section for each shared schema. */
export function schemaSections(schemas, link) {
  return Object.entries(schemas).map(([name, schema]) => {
    const rows = nestedRows(schema, link, '').map(([path, ...rest]) => [path.replace(/^`(?:\[\])?\.?/, '`'), ...rest]);
    const type = rows.length === 0 ? `Type: ${describeType(schema, link)}.\n\n` : table(rows);
    return `## ${name}\n\n${schema.description ?? ''}\n\n${type}`;
  });
}

/** A value as a block of JSON, cut after 60 lines. */
export function json(value) {
  const lines = JSON.stringify(value, null, 2).split('\n');
  const shown = lines.length > 60 ? [...lines.slice(0, 60), '…'] : lines;
  return `\`\`\`json\n${shown.join('\n')}\n\`\`\`\n\n`;
}
