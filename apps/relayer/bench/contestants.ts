import { spawn, type ChildProcess } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BRIDGE_LOCK, CHAIN_ID, DEPOSIT_TOPIC } from './scripted-node/scripts.ts';

/** Who reads the scripted chain. */
export interface Contestant {
  readonly name: string;
  /** The table with a row for each event. */
  readonly table: string;
  /** Whether its process ends after the last event. Otherwise the table is polled. */
  readonly ends: boolean;
  readonly start: (setting: ContestantSetting) => ChildProcess;
}

/** The sources that a contestant reads, and the database where it writes. */
interface ContestantSetting {
  readonly urls: readonly string[];
  readonly lastBlock: number;
  readonly databaseUrl: string;
  /** A free port, for those that have a server. */
  readonly port: number;
}

const here = dirname(fileURLToPath(import.meta.url));
const PONDER_SCHEMA = 'ponder';

/** The relayer's reader, which compares all nodes. */
export const OURS: Contestant = {
  name: 'Causeway, three nodes compared',
  table: 'operation',
  ends: true,
  start: (setting) => run([join(here, 'reader-process.ts')], here, setting),
};

/** The indexers that are installed in a folder. */
export function installedContestants(folder: string): { readonly ponder: Contestant; readonly subsquid: Contestant } {
  const ponder = join(folder, 'node_modules/ponder/dist/esm/bin/ponder.js');
  return {
    ponder: {
      name: 'Ponder 0.17.7',
      table: `${PONDER_SCHEMA}.deposit`,
      ends: false,
      start: (setting) => {
        const server = ['--port', String(setting.port), '--hostname', '127.0.0.1'];
        const args = [ponder, 'start', '--schema', PONDER_SCHEMA, '--log-level', 'warn', ...server];
        return run(args, folder, setting);
      },
    },
    subsquid: {
      name: 'Subsquid evm-processor 1.27.3',
      table: 'deposit',
      ends: true,
      start: (setting) => run([join(folder, 'subsquid.mjs')], folder, setting),
    },
  };
}

function run(args: readonly string[], cwd: string, setting: ContestantSetting): ChildProcess {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return spawn(process.execPath, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH,
      HOME,
      ...(TMPDIR === undefined ? {} : { TMPDIR }),
      PONDER_TELEMETRY_DISABLED: '1',
      RPC_URLS: setting.urls.join(','),
      LAST_BLOCK: String(setting.lastBlock),
      CONTRACT: BRIDGE_LOCK,
      CHAIN_ID: String(CHAIN_ID),
      DEPOSIT_TOPIC,
      DATABASE_URL: setting.databaseUrl,
    },
  });
}
