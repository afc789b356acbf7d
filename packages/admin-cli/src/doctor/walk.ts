import { existsSync } from 'node:fs';
import type { AddressBook } from '@causeway/contracts/address-book';
import {
  CHAIN_NAMES,
  readAddressBook,
  readDeploymentConfig,
  type ChainName,
  type DeploymentConfig,
} from '@causeway/contracts/deploy';
import { describeProblem } from '@causeway/service/doctor';
import { createPublicClient, type PublicClient } from 'viem';
import { nodeTransport } from '../node-transport.js';

/** The options of `causeway-admin doctor`. The files and folders need not exist. */
export interface DoctorOptions {
  readonly environment: DeploymentConfig['environment'];
  readonly config: string;
  readonly book: string;
  readonly keystores: string;
  readonly passwords: string;
  readonly ethereumRpc?: string | undefined;
  readonly partnerRpc?: string | undefined;
  /** The output of `relayer doctor --json`. */
  readonly relayerReport?: string | undefined;
  /** Health addresses by service. */
  readonly health: ReadonlyMap<string, string>;
  /** The environment variables, of which DATABASE_URL is read. */
  readonly variables: NodeJS.ProcessEnv;
}

/** A part that exists, is still missing, or cannot be used. */
type Part<T> =
  | { readonly state: 'there'; readonly value: T }
  | { readonly state: 'absent' }
  | { readonly state: 'broken'; readonly reason: string };

/** The parts that the checks of several steps share. */
export interface Walk {
  readonly options: DoctorOptions;
  readonly config: Part<DeploymentConfig>;
  readonly book: Part<AddressBook>;
  readonly clients: Readonly<Partial<Record<ChainName, PublicClient>>>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Timeout of a node in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Opens the existing parts. Sends no request. */
export function openWalk(options: DoctorOptions, now: () => number): Walk {
  const urls = { ethereum: options.ethereumRpc, partner: options.partnerRpc };
  const clients: Partial<Record<ChainName, PublicClient>> = {};
  for (const side of CHAIN_NAMES) {
    const url = urls[side];
    if (url !== undefined) {
      clients[side] = createPublicClient({
        transport: nodeTransport(url, { timeout: TIMEOUT_MS, retryCount: 0 }),
        cacheTime: 0,
      });
    }
  }
  return {
    options,
    config: readPart(options.config, () => readDeploymentConfig(options.config, options.environment)),
    book: readPart(options.book, () => readBook(options)),
    clients,
    now,
  };
}

/** @throws Error when the address book is for another environment. */
function readBook({ book: file, environment }: DoctorOptions): AddressBook {
  const book = readAddressBook(file);
  if (book.environment === environment) return book;
  throw new Error(`${file} is an address book of ${book.environment}, not of ${environment}`);
}

function readPart<T>(file: string, read: () => T): Part<T> {
  if (!existsSync(file)) return { state: 'absent' };
  try {
    return { state: 'there', value: read() };
  } catch (problem) {
    return { state: 'broken', reason: describeProblem(problem) };
  }
}
