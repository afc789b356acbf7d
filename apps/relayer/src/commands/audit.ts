import { serviceVariables } from '@causeway/chain/configuration';
import { readVariables } from '@causeway/service/configuration';
import type { AuditHead, Store } from '@causeway/store';
import { isHash, type Hex } from 'viem';
import { CommandRefusedError } from './command-context.js';

/** The context of the command, which needs neither a key nor a node. */
interface AuditContext {
  readonly store: { readonly adminAudit: Pick<Store['adminAudit'], 'verify'> };
  readonly print: (line: string) => void;
}

/** The command reads only DATABASE_URL. */
export function readAuditSettings(variables: NodeJS.ProcessEnv): { readonly databaseUrl: string } {
  return { databaseUrl: readVariables(serviceVariables.pick({ DATABASE_URL: true }), variables).DATABASE_URL };
}

/**
 * `relayer audit verify`: verifies the audit log from its first row, and prints its head.
 *
 * @param noted the head of an earlier run, as `<sequence>:<hash>`: detects rows that were cut off since.
 * @returns false when a row breaks the chain; it is printed.
 * @throws CommandRefusedError when `noted` is malformed.
 */
export async function verifyAudit({ store, print }: AuditContext, noted: string | undefined): Promise<boolean> {
  const { head, broken, removed } = await store.adminAudit.verify(noted === undefined ? null : parseHead(noted));
  const rows = head.sequence - removed.sequence;
  const count = rows === 1 ? '1 row is' : `${rows} rows are`;
  if (removed.sequence > 0) print(`Retention removed the rows up to ${removed.sequence}:${removed.hash}.`);
  print(`${count} unbroken. Head: ${head.sequence}:${head.hash}`);
  if (broken === null) return true;
  print(`Row ${broken.sequence} is broken: ${broken.problem}.`);
  print('Read "The audit log" in docs/operate/run.md. The rows before it are intact.');
  return false;
}

function parseHead(text: string): AuditHead {
  const [sequence = '', hash = ''] = text.split(':');
  if (/^[1-9]\d{0,14}$/.test(sequence) && isHash(hash) && text.split(':').length === 2)
    return { sequence: Number(sequence), hash: hash.toLowerCase() as Hex };
  throw new CommandRefusedError('--head must be the head that an earlier run printed, such as 12:0x34…');
}
