import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from 'viem';
import type { ConsoleMember } from './console-member.js';

const DESKTOP = { width: 1_280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** The forms of each picture; the name of the file ends with it. */
const FORMS = {
  light: { colorScheme: 'light', viewport: DESKTOP },
  dark: { colorScheme: 'dark', viewport: DESKTOP },
  phone: { colorScheme: 'light', viewport: PHONE },
} as const;

/** The subjects that the pages of one operation, refund and request show. */
export interface Subjects {
  readonly operationId: Hex;
  readonly refundId: Hex;
  readonly requestId: string;
}

/** The pages that the handbook shows on a phone too. */
const ON_PHONE = new Set(['overview', 'operation', 'approvals']);

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

/** Writes pictures of every page in these forms, and of three on a phone. Returns the names of the files. */
export async function writeScreenshots(
  member: ConsoleMember,
  subjects: Subjects,
  folder: string,
  forms: readonly (keyof typeof FORMS)[],
): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const written: string[] = [];
  for (const form of forms) {
    const { colorScheme, viewport } = FORMS[form];
    await member.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await member.page.setViewportSize(viewport);
    for (const [name, path] of Object.entries(listPages(subjects))) {
      if (form === 'phone' && !ON_PHONE.has(name)) continue;
      await member.open(path);
      await member.isLoaded();
      const file = `${name}-${form}.jpg`;
      await member.page.screenshot({ path: join(folder, file), type: 'jpeg', quality: 70 });
      written.push(file);
    }
  }
  return written;
}
