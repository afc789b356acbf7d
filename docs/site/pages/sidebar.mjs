/** The groups of the sidebar: their pages in this order, then all others that begin with one of the prefixes. */
const GROUPS = [
  { label: 'Use the bridge', first: ['index', 'use'], prefixes: [] },
  {
    label: 'Integrate it',
    first: [
      'integrate/start',
      'integrate/rest',
      'integrate/sdk',
      'integrate/react',
      'integrate/contracts',
      'integrate/command',
      'reference/command',
    ],
    prefixes: ['integrate/'],
  },
  { label: 'The partner chain', first: ['chain/json-rpc', 'chain/smart-accounts'], prefixes: ['chain/'] },
  {
    label: 'Operate it',
    first: ['operate/setup', 'operate/run', 'operate/deploy', 'operate/upgrade', 'operate/reference'],
    prefixes: ['operate/', 'runbook'],
  },
  { label: 'Trust and security', first: ['security', 'invariants', 'security-policy'], prefixes: [] },
  { label: 'How it works', first: ['architecture', 'glossary', 'decisions'], prefixes: ['decisions/'] },
  { label: 'Contribute', first: ['contributing', 'agents', 'readme'], prefixes: ['contribute/'] },
  { label: 'REST', first: ['reference/rest'], prefixes: ['reference/rest/'] },
  { label: 'JSON-RPC', first: ['reference/json-rpc'], prefixes: ['reference/json-rpc/'] },
  { label: 'Contracts', first: ['reference/contracts'], prefixes: ['reference/contracts/'] },
  { label: 'SDK', first: ['reference/sdk'], prefixes: ['reference/sdk/'] },
  {
    label: 'Operating reference',
    first: ['reference/environment', 'reference/metrics', 'reference/database-roles'],
    prefixes: ['reference/'],
  },
  { label: 'Errors and delays', first: ['errors'], prefixes: ['errors/'] },
  { label: 'Packages', first: [], prefixes: [''] },
];
/** From this group on, they are closed until someone opens them. */
const FIRST_CLOSED = 'REST';

/**
 * Puts each page into its group.
 *
 * @returns groups with pages: for the sidebar `items`, for others `routes`.
 */
export function orderPages(pages) {
  const left = new Map([...pages.values()].map((page) => [page.route, page]));
  const take = (route) => {
    const page = left.get(route);
    left.delete(route);
    return page === undefined ? [] : [page];
  };
  let collapsed = false;
  return GROUPS.flatMap(({ label, first, prefixes }) => {
    collapsed ||= label === FIRST_CLOSED;
    const others = [...left.keys()].filter((route) => prefixes.some((prefix) => route.startsWith(prefix)));
    const own = [...new Set([...first, ...others.toSorted((a, b) => a.localeCompare(b))])].flatMap(take);
    if (own.length === 0) return [];
    const items = own.map(({ title, route }) => ({ label: title, link: route === 'index' ? '/' : `/${route}/` }));
    return [{ label, collapsed, items, routes: own.map(({ route }) => route) }];
  });
}
