import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encryptKey } from '@causeway/chain/keystore';
import { Argument, InvalidArgumentError, type Command } from 'commander';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { readKeystoreAddress } from '../keystore-address.js';

interface AccountOptions {
  readonly keystores: string;
  readonly passwords: string;
}

/** 256 bits, which need no key stretching against guessing. */
const PASSWORD_BYTES = 32;
const NAME_RULE = 'It must be a name of lower-case letters, digits and dashes, such as policy-manager.';
/** A placeholder of an example; the role is the first group. */
const PLACEHOLDER = /<([A-Z_]+?)_(?:ADDRESS|ON_ETHEREUM|ON_PARTNER)>/g;

/** Adds the command that creates accounts. */
export function addAccountsCommand(program: Command): void {
  program
    .command('new-accounts')
    .description(
      'creates accounts: for each name an encrypted key (Web3 Secret Storage) and a file with a random password, which ' +
        'only you can read; prints their addresses; never replaces one',
    )
    .addArgument(new Argument('<names...>', 'roles, such as relayer or policy-manager').argParser(parseName))
    .requiredOption('--keystores <folder>', 'folder for <name>.json')
    .requiredOption('--passwords <folder>', 'folder for the file <name> with the password; back it up elsewhere')
    .action(makeAccounts);
}

async function makeAccounts(names: readonly string[], { keystores, passwords }: AccountOptions): Promise<void> {
  const files = names.map((name) => ({
    name,
    keystore: join(keystores, `${name}.json`),
    password: join(passwords, name),
  }));
  for (const path of files.flatMap(({ keystore, password }) => [keystore, password])) {
    if (existsSync(path)) throw new Error(`${path} already exists: move it away, or choose another name`);
  }
  for (const folder of [keystores, passwords]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { name, keystore, password } of files) {
    const [privateKey, secret] = [generatePrivateKey(), randomBytes(PASSWORD_BYTES).toString('base64url')];
    writeSecret(password, `${secret}\n`);
    writeSecret(keystore, `${await encryptKey(privateKey, secret)}\n`);
    process.stdout.write(`${name} ${privateKeyToAddress(privateKey)}\n`);
  }
}

/** Writes a new file. Fails if the file exists by now. */
function writeSecret(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
}

function parseName(text: string, earlier: readonly string[] | undefined): readonly string[] {
  if (!/^[a-z][a-z0-9-]*$/.test(text)) throw new InvalidArgumentError(NAME_RULE);
  if (earlier?.includes(text) === true) throw new InvalidArgumentError('It is given twice.');
  return [...(earlier ?? []), text];
}

/**
 * Replaces the placeholders of an example with the addresses of keystores: `<POLICY_MANAGER_ON_PARTNER>` is the address
 * of `policy-manager.json`. Keeps placeholders without a keystore.
 *
 * @throws Error when a keystore does not contain its address.
 */
export function fillAddresses(example: string, keystores: string): string {
  return example.replaceAll(PLACEHOLDER, (placeholder, role: string) => {
    const file = join(keystores, `${role.toLowerCase().replaceAll('_', '-')}.json`);
    return existsSync(file) ? readKeystoreAddress(file) : placeholder;
  });
}
