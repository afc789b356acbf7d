const HEADINGS = {
  constructor: 'Constructor',
  function: 'Functions',
  value: 'Values',
  event: 'Events',
  error: 'Errors',
  struct: 'Structs',
};

/**
 * Writes the reference page of a contract from its NatSpec.
 *
 * @param contract one that readItems found.
 * @returns Markdown.
 */
export function renderPage({ file, name, kind, doc, items }) {
  const lines = [
    `# ${name}`,
    '',
    `<!-- Made of the NatSpec in contracts/${file} by \`run reference\`: change it there. -->`,
    '',
    `${textOf(doc, 'title')} (${kind}, \`${file}\`)`,
    '',
    textOf(doc, 'notice'),
    '',
  ];
  const details = textOf(doc, 'dev');
  if (details !== '') lines.push(details, '');
  for (const [wanted, heading] of Object.entries(HEADINGS)) {
    const chosen = items.filter((item) => item.kind === wanted && !item.doc.some(({ tag }) => tag === 'inheritdoc'));
    const shown = chosen.filter(({ doc: own }) => textOf(own, 'notice') !== '');
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
  const lines = [`### ${name}`, '', '```solidity', signature, '```', '', textOf(doc, 'notice'), ''];
  const details = textOf(doc, 'dev');
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

function textOf(doc, wanted) {
  const found = doc.filter(({ tag }) => tag === wanted).map(({ text }) => text.trim());
  return found.join('\n\n').replaceAll('<', '&lt;');
}
