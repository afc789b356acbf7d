import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { waitUntil } from '@causeway/test-kit';
import { freePort, type TestEnvironment } from '../temporary-environment.js';
import type { PartnerFolder } from './partner-folder.js';

const LAYOUT = `
import type { ReactNode } from 'react';
export default function Layout({ children }: { children: ReactNode }) {
  return <html><body>{children}</body></html>;
}
`;
/** The page, rendered by the server at each request. */
const PAGE = `
import { connectBridge, getQuote } from '@causeway/sdk';
import { Deposit } from './deposit';
export const dynamic = 'force-dynamic';
export default async function Page() {
  const bridge = connectBridge({ apiUrl: process.env.API ?? '' });
  const quote = await getQuote(bridge, { asset: 'ETH', amount: '0.5', direction: 'ETHEREUM_TO_PARTNER' });
  return <main><p>{quote.outputAmountFormatted} ETH arrive</p><Deposit apiUrl={bridge.apiUrl} /></main>;
}
`;
/** A client component that sends. */
const DEPOSIT = `
'use client';
import { connectBridge, createBrowserStore, deposit, fromProvider, type Provider } from '@causeway/sdk';
import type { Address } from 'viem';
export function Deposit({ apiUrl }: { apiUrl: string }) {
  const begin = async () => {
    const provider = (window as unknown as { ethereum: Provider }).ethereum;
    const [recipient] = (await provider.request({ method: 'eth_requestAccounts' })) as [Address];
    const wallet = fromProvider(provider, recipient);
    const terms = { asset: 'ETH', amount: '0.5', recipient };
    await deposit(connectBridge({ apiUrl }), wallet, terms, { store: createBrowserStore() });
  };
  return <button onClick={() => void begin()}>Deposit</button>;
}
`;

/** Builds a type-checked production page with Next, and returns its HTML from the server. */
export async function renderNextPage(partner: PartnerFolder, { stack }: TestEnvironment): Promise<string> {
  const types = 'typescript@5.9.3 @types/node@24 @types/react@19';
  await partner.run(`npm install @causeway/sdk viem next@16.4.6 react@19 react-dom@19 ${types}`);
  for (const [name, text] of Object.entries({ layout: LAYOUT, page: PAGE, deposit: DEPOSIT }))
    partner.write(`app/${name}.tsx`, text);
  await partner.run('npx next build', { NEXT_TELEMETRY_DISABLED: '1' });
  const port = await freePort();
  const program = partner.resolve('node_modules/next/dist/bin/next');
  const child = spawn(process.execPath, [program, 'start', '--hostname', '127.0.0.1', '--port', String(port)], {
    cwd: partner.resolve('.'),
    env: { ...process.env, API: stack.apiUrl, NEXT_TELEMETRY_DISABLED: '1' },
    stdio: 'ignore',
  });
  try {
    let html = '';
    await waitUntil('the page answers', async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
      html = (await answer?.text()) ?? '';
      return answer?.ok === true;
    });
    return html;
  } finally {
    const ended = once(child, 'close');
    child.kill();
    await ended;
  }
}
