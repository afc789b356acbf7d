import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, isUrl } from '@causeway/service/configuration';
import { z } from 'zod';
import { readStaticFiles, type StaticFile, type StaticFiles } from '../server/static-files.js';

/** Names of files below this path contain a hash of their content. */
export const HASHED = '/assets/';

const url = (text: string) => isUrl(text, ['http:', 'https:', 'ws:', 'wss:']);
const urls = z.array(z.string().refine(url, 'must be an http, https, ws or wss URL'));
const chain = z.object({ name: z.string(), rpcUrls: urls });

/** The settings that this server needs. The page checks the rest. */
const settingsSchema = z.object({
  apiUrl: z
    .string()
    .refine((text) => /^\/(?!\/)/.test(text) || url(text), 'must be an http or https URL, or a path such as /api/v1'),
  ethereum: chain,
  partner: chain,
  walletModules: z.array(z.object({ connect: urls.default([]) })).default([]),
});

type WebSettings = z.output<typeof settingsSchema>;

/** The built page for the bridge's users, with its host's settings. */
export interface WebPage {
  readonly files: StaticFiles;
  /** The document of every path that is not a file. */
  readonly page: StaticFile;
  /** Content security policies by path of the document. */
  readonly policies: ReadonlyMap<string, string>;
  /** The names of the chains. */
  readonly names: Readonly<Record<'ethereum' | 'partner', string>>;
}

/** The injection token of the `WebPage`. */
export const WEB_PAGE = Symbol('WebPage');

/** @throws ConfigurationError when the folder has no built page, or its settings name no usable URLs. */
export function readWebPage(folder: string): WebPage {
  const files = existsSync(folder) ? readStaticFiles(folder, HASHED) : null;
  const page = files?.get('/index.html');
  if (files === null || page === undefined)
    throw new ConfigurationError([
      `WEB_FOLDER ${folder} has no index.html: run npx pnpm@12.21.0 --filter @causeway/web... run build, and copy apps/web/dist`,
    ]);
  const settings = readSettings(join(folder, 'settings.json'), files.get('/settings.json'));
  const policies = new Map([
    ['/index.html', policyWith(listOrigins(settings))],
    ['/check.html', policyWith(ANY_NODE)],
  ]);
  return { files, page, policies, names: { ethereum: settings.ethereum.name, partner: settings.partner.name } };
}

function readSettings(path: string, file: StaticFile | undefined): WebSettings {
  const refuse = (problem: string) => new ConfigurationError([`WEB_FOLDER: ${path} ${problem}`]);
  if (file === undefined) throw refuse('is missing: see docs/operate/web.md');
  let value: unknown;
  try {
    value = JSON.parse(file.plain.toString());
  } catch (error) {
    throw refuse(`is not JSON: ${String(error)}`);
  }
  const { data, error } = settingsSchema.safeParse(value);
  if (data !== undefined) return data;
  throw new ConfigurationError(
    error.issues.map(({ path: field, message }) => `WEB_FOLDER: ${field.join('.')} of ${path}: ${message}`),
  );
}

/** The origins that the page calls: the API, the nodes, and those of the host's wallets. */
function listOrigins({ apiUrl, ethereum, partner, walletModules }: WebSettings): string[] {
  const nodes = [...ethereum.rpcUrls, ...partner.rpcUrls];
  // Nodes answer over WebSocket at the same address, too.
  const sockets = nodes.map((each) => each.replace(/^http/, 'ws'));
  const others = walletModules.flatMap(({ connect }) => connect);
  const called = [...nodes, ...sockets, ...others, ...(apiUrl.startsWith('/') ? [] : [apiUrl])];
  return [...new Set(called.map((each) => new URL(each).origin))];
}

/** Nodes of the reader's choice, on this machine also without TLS. The document has no wallet code. */
const ANY_NODE = [
  'https:',
  'wss:',
  ...['http', 'ws'].flatMap((scheme) => [`${scheme}://127.0.0.1:*`, `${scheme}://localhost:*`]),
];

/**
 * A document runs only the scripts of this server. Trusted Types make it throw if a script writes text from chains or
 * users as HTML.
 */
function policyWith(connected: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${["'self'", ...connected].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
