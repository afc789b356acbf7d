import { readFileSync } from 'node:fs';
import { genesisSchema, type GenesisInput } from '@causeway/partner-chain';

/**
 * Reads what a new chain begins with from a JSON file like Ethereum's genesis files: `{ "timestamp": 0, "alloc": { "0x…": { "balance": "wei" } } }`.
 *
 * @throws Error that names the file and what is wrong in it.
 */
export function readGenesis(file: string): GenesisInput {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`GENESIS: ${file} cannot be read as JSON: ${messageOf(error)}`, { cause: error });
  }
  const parsed = genesisSchema.safeParse(json);
  if (parsed.success) return json as GenesisInput;
  const issue = parsed.error.issues[0];
  throw new Error(`GENESIS: ${file}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is wrong'}`, {
    cause: parsed.error,
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
