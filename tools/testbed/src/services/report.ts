import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './debian-programs.js';
import type { Fleet } from './fleet.js';

const run = promisify(execFile);

/** Column widths, in characters. */
const WIDTHS = [13, 7, 6, 7, 29, 6, 0];

/** Formats a table of the processes with their users, database sessions and health. */
export async function describeProcesses(fleet: Fleet): Promise<string> {
  const sessions = await readSessions(fleet.database.superuserUrl);
  const services = new Map(fleet.services.list.map((service) => [service.name, service]));
  const rows = [['process', 'pid', 'uid', 'memory', 'database sessions', 'start', 'health']];
  for (const { name, pid } of fleet.processes.list()) {
    const { uid, memoryMb } = readProcess(pid);
    const service = services.get(name);
    const health = service === undefined ? '' : await readHealth(service.readyUrl);
    const its = service === undefined ? '' : (sessions.get(service.service) ?? '');
    const startMs = fleet.services.startMs.get(name);
    const start = startMs === undefined ? '' : `${(startMs / 1_000).toFixed(1)} s`;
    rows.push([name, `${pid}`, `${uid}`, `${memoryMb} MB`, its, start, health]);
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(WIDTHS[column] ?? 0))
        .join(' ')
        .trimEnd(),
    )
    .join('\n');
}

function readProcess(pid: number): { readonly uid: number; readonly memoryMb: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return { uid: read('Uid'), memoryMb: Math.round(read('VmRSS') / 1024) };
}

/** The sessions of each service's role, such as "12 as causeway_relayer, TLS". */
async function readSessions(superuserUrl: string): Promise<Map<string, string>> {
  const sql = `SELECT usename, count(*), bool_and(ssl) FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
    WHERE usename LIKE 'causeway_%' GROUP BY usename`;
  const psql = join(dirname(findProgram('postgresql')), 'psql');
  const { stdout } = await run(psql, ['-At', '-F', ' ', '-c', sql, superuserUrl]);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [role = '', count = '', isEncrypted] = line.split(' ');
      const words = `${count} as ${role}${isEncrypted === 't' ? ', TLS' : ''}`;
      return [role.replace('causeway_', ''), words];
    }),
  );
}

async function readHealth(readyUrl: string): Promise<string> {
  const answer = await fetch(readyUrl);
  return answer.ok ? 'ready' : `not ready (${answer.status})`;
}
