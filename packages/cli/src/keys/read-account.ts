import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Hex, PrivateKeyAccount } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Context } from '../command.js';
import { KeyError, NotConfirmedError, UsageError } from '../errors.js';
import { ask, isInteractive } from '../output/ask.js';
import { decryptKeystore } from './keystore.js';

/** Where to read the key. */
export interface KeyOptions {
  readonly keystore?: string;
  readonly passwordFile?: string;
  readonly keyStdin?: boolean;
}

/**
 * Reads the signing key from a keystore, standard input, or the variable CAUSEWAY_PRIVATE_KEY. An argument never holds
 * a key, since every process of the machine can read arguments.
 *
 * @throws UsageError when no key is named, or two; KeyError when it cannot be read.
 */
export async function readAccount(context: Context, options: KeyOptions): Promise<PrivateKeyAccount> {
  const { keystore, keyStdin = false } = options;
  const variable = context.env['CAUSEWAY_PRIVATE_KEY'] ?? '';
  if (keystore !== undefined && keyStdin) throw new UsageError('key-stdin', 'cannot be combined with --keystore');
  if (keystore !== undefined) return privateKeyToAccount(await openKeystore(context, keystore, options.passwordFile));
  if (keyStdin) return toAccount('key-stdin', await readInput(context));
  if (variable !== '') return toAccount('CAUSEWAY_PRIVATE_KEY', variable);
  throw new UsageError('keystore', 'is missing', 'Give --keystore <file> or --key-stdin, or set CAUSEWAY_PRIVATE_KEY.');
}

async function openKeystore(context: Context, file: string, passwordFile: string | undefined): Promise<Hex> {
  const content = await readSecret('keystore', file);
  const password =
    passwordFile === undefined ? await askPassword(context) : await readSecret('password-file', passwordFile);
  return decryptKeystore(content, password.replace(/\r?\n$/, ''));
}

async function readSecret(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new KeyError(option, `cannot be read: ${file}`, 'Check the path and the permissions of the file.');
  }
}

async function askPassword({ streams, flags }: Context): Promise<string> {
  if (flags.json !== true && isInteractive(streams)) return ask(streams, 'Password of the keystore: ', true);
  throw new NotConfirmedError('There is no terminal to ask for the password', 'Give --password-file <file>.');
}

async function readInput({ streams }: Context): Promise<string> {
  const { input } = streams;
  return input.isTTY === true ? ask(streams, 'Key: ', true) : text(input);
}

function toAccount(field: string, given: string): PrivateKeyAccount {
  const key = given.trim().replace(/^(?!0x)/, '0x');
  if (/^0x[\da-f]{64}$/i.test(key)) {
    try {
      return privateKeyToAccount(key as Hex);
    } catch {
      // Zero, or not below the order of the curve. The library's message would quote the key.
    }
  }
  throw new KeyError(field, 'is not a private key', 'A key is 0x and 64 hex digits.');
}
