import { readFileSync } from 'node:fs';
import type { AlertCode } from '@causeway/protocol/admin';

const PAGE = new URL('../../../../docs/runbook.md', import.meta.url);

/**
 * Returns the commands and queries under an alert's heading as shell lines.
 *
 * @throws Error without the heading.
 */
export function readHeadingCommands(code: AlertCode): string[] {
  const section = readFileSync(PAGE, 'utf8')
    .split(/^## /m)
    .find((part) => part.startsWith(`${code}\n`));
  if (section === undefined) throw new Error(`The runbook has no heading ${code}`);
  return [...section.matchAll(/^```(sh|sql)\n([\s\S]*?)^```/gm)].flatMap(([, language, block = '']) => {
    const lines = block.trim().split('\n');
    return language === 'sh'
      ? lines
      : lines.map((query) => `psql -v ON_ERROR_STOP=1 "$DATABASE_URL" <<'SQL'\n${query}\nSQL`);
  });
}
