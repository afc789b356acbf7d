import { unwatchFile, watchFile } from 'node:fs';
import { ConfigurationError } from '@causeway/service/configuration';
import { readKeyFile, type ApiKey } from './api-key.js';

/**
 * How often to check the file for changes, in milliseconds. Also detects a mounted secret, whose symlink changes its
 * target.
 */
const LOOK_MS = 2_000;

interface KeyFileOptions {
  readonly path: string;
  /** Content at startup. */
  readonly keys: readonly ApiKey[];
  /** Called when a changed file is invalid. */
  readonly onFailed: () => void;
  readonly logger: {
    info(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

/** Receives the valid keys, and the names of revoked ones. */
type KeyListener = (keys: readonly ApiKey[], ended: readonly string[]) => void;

/** The valid keys: those of the file, or of its last valid content while it is invalid. */
export class KeyFile {
  private keys: readonly ApiKey[];
  private byHash: ReadonlyMap<string, ApiKey>;
  private listener: KeyListener = () => undefined;

  constructor(private readonly options: KeyFileOptions) {
    this.keys = options.keys;
    this.byHash = indexByHash(options.keys);
  }

  /** The look-up time depends only on the hash, so a caller learns nothing about other keys. */
  find(sha256: string): ApiKey | undefined {
    return this.byHash.get(sha256);
  }

  /** Calls the listener now and whenever the keys change. */
  follow(listener: KeyListener): void {
    this.listener = listener;
    listener(this.keys, []);
  }

  /** Checks for changes until `close`. */
  watch(): void {
    watchFile(this.options.path, { interval: LOOK_MS, persistent: false }, this.reload);
  }

  close(): void {
    unwatchFile(this.options.path, this.reload);
  }

  /** Reads the file now. */
  readonly reload = (): void => {
    const { path, logger, onFailed } = this.options;
    try {
      this.apply(readKeyFile(path));
      logger.info({ keys: this.keys.length }, 'Reloaded the API keys');
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      onFailed();
      logger.error({ problem: error.problems.join() }, 'Kept the previous API keys: the file is invalid');
    }
  };

  private apply(keys: readonly ApiKey[]): void {
    const byHash = indexByHash(keys);
    // A key replaced under the same name is revoked.
    const ended = this.keys.filter(({ name, sha256 }) => byHash.get(sha256)?.name !== name);
    this.keys = keys;
    this.byHash = byHash;
    this.listener(
      keys,
      ended.map(({ name }) => name),
    );
  }
}

function indexByHash(keys: readonly ApiKey[]): ReadonlyMap<string, ApiKey> {
  return new Map(keys.map((key) => [key.sha256, key]));
}
