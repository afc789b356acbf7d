import { execFileSync } from 'node:child_process';
import { chownSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';

/**
 * Copies a running server with the functions of an online backup, which the login of backups may call.
 *
 * @param client of that login; its connection must stay open.
 */
export async function copyServer(client: Client, data: string, target: string): Promise<void> {
  await client.query("SELECT pg_backup_start('drill', true)");
  copy(data, target);
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  // The log since the start of the copy.
  rmSync(join(target, 'pg_wal'), { recursive: true });
  copy(join(data, 'pg_wal'), join(target, 'pg_wal'));
  const label = join(target, 'backup_label');
  writeFileSync(label, rows[0]?.labelfile ?? '', { mode: 0o600 });
  const { uid, gid } = statSync(data);
  chownSync(label, uid, gid);
  for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(target, name), { force: true });
}

/** Keeps owners. Files that end meanwhile are left out: the log has their content. */
function copy(from: string, to: string): void {
  try {
    execFileSync('cp', ['-a', from, to], { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    const stderr = String((error as { readonly stderr: Buffer }).stderr);
    const others = stderr.split('\n').filter((line) => line !== '' && !line.includes('No such file or directory'));
    if (others.length > 0) throw new Error(others.join('; '), { cause: error });
  }
}
