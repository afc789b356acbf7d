import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from 'viem';
import type { ConsoleMember } from './console-member.js';

const VIEWPORT = { width: 1_280, height: 800 };

/** The themes of each picture; the name of the file ends with it. */
type Theme = 'light' | 'dark';

/** Ids for the pages of one operation, refund and request. */
export interface Subjects {
  readonly operationId: Hex;
  readonly refundId: Hex;
  readonly requestId: string;
}

/** The pages with a picture in docs/operate/console.md. */
export const PICTURED = ['overview', 'operation', 'request', 'fees-and-limits', 'pauses-and-halts'] as const;

/** All pages of the console: the name of the picture, and the path. */
export function listPages({ operationId, refundId, requestId }: Subjects): Readonly<Record<string, string>> {
  return {
    overview: '/',
    operations: '/operations',
    operation: `/operations/${operationId}`,
    intents: '/intents',
    refunds: '/refunds',
    refund: `/refunds/${refundId}`,
    approvals: '/approvals',
    request: `/approvals/${requestId}`,
    'fees-and-limits': '/fees-and-limits',
    'pauses-and-halts': '/pauses-and-halts',
    relayers: '/relayers',
    alerts: '/alerts',
    'audit-log': '/audit',
    settings: '/settings',
  };
}

/** Writes pictures of these pages in these themes. Returns the names of the files. */
export async function writeScreenshots(
  member: ConsoleMember,
  pages: Readonly<Record<string, string>>,
  folder: string,
  themes: readonly Theme[],
): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const written: string[] = [];
  await member.page.setViewportSize(VIEWPORT);
  for (const colorScheme of themes) {
    await member.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const [name, path] of Object.entries(pages)) {
      await member.open(path);
      await member.isLoaded();
      const file = `${name}-${colorScheme}.jpg`;
      await member.page.screenshot({ path: join(folder, file), type: 'jpeg', quality: 70 });
      written.push(file);
    }
  }
  return written;
}
