import { unwatchFile, watchFile } from 'node:fs';
import { ConfigurationError } from '@causeway/service/configuration';
import { readKeyFile, type ApiKey } from './api-key.js';

/** Pause between two looks at the file. A change shows at a mounted secret too, whose link then has another target. */
const LOOK_MS = 2_000;

interface KeyFileOptions {
  readonly path: string;
  /** Its content at the start. */
  readonly keys: readonly ApiKey[];
  /** Called when a changed file cannot be used. */
  readonly onFailed: () => void;
  readonly logger: {
    info(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

/** Receives the keys in force, and the names of those that are not valid any more. */
type KeyListener = (keys: readonly ApiKey[], ended: readonly string[]) => void;

/** The keys in force: those of the file, or of its last good content while it cannot be used. */
export class KeyFile {
  private keys: readonly ApiKey[];
  private byHash: ReadonlyMap<string, ApiKey>;
  private listener: KeyListener = () => undefined;

  constructor(private readonly options: KeyFileOptions) {
    this.keys = options.keys;
    this.byHash = indexByHash(options.keys);
  }

  /** The time of a look-up depends on the hash alone, from which a caller cannot learn the others. */
  find(sha256: string): ApiKey | undefined {
    return this.byHash.get(sha256);
  }

  /** Calls the listener with the present keys now, and whenever they change. */
  follow(listener: KeyListener): void {
    this.listener = listener;
    listener(this.keys, []);
  }

  /** Looks for changes until `close`. */
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
      logger.info({ keys: this.keys.length }, 'The API keys are read again');
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      onFailed();
      logger.error({ problem: error.problems.join() }, 'The API keys stay as they were: the file cannot be used');
    }
  };

  private apply(keys: readonly ApiKey[]): void {
    const byHash = indexByHash(keys);
    // A key that is replaced under the same name is not valid any more.
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
