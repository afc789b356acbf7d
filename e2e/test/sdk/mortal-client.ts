import type { Bridge, RecordStore, TransferRecord, Wallet } from '@causeway/sdk';

/** Thrown inside a client that has been killed. */
export class KilledError extends Error {
  override readonly name = 'KilledError';
}

/**
 * The life of a client: a page or a process. It is killed at one of its dealings with the world, before this takes
 * place or before its answer arrives. Nothing that it does afterwards has an effect.
 */
export class Life {
  private dealings = 0;
  private hasEnded = false;

  /** @param last the number of its last dealing; infinite for a client that lives on. */
  constructor(
    private readonly last = Number.POSITIVE_INFINITY,
    private readonly dies: 'before' | 'after' = 'before',
    private readonly onDeath: () => void = () => undefined,
  ) {}

  get isOver(): boolean {
    return this.hasEnded;
  }

  /** Looks at something, which the world does not notice. */
  async look<T>(work: () => Promise<T>): Promise<T> {
    if (this.hasEnded) throw new KilledError();
    return work();
  }

  /** Does something that the world notices. */
  async deal<T>(work: () => Promise<T> | T): Promise<T> {
    if (this.hasEnded) throw new KilledError();
    this.dealings += 1;
    if (this.dealings < this.last) return work();
    this.hasEnded = true;
    this.onDeath();
    // A window that the wallet has opened stays open.
    if (this.dies === 'after') void Promise.resolve(work()).catch(() => undefined);
    throw new KilledError();
  }
}

/** A wallet in the hands of a client that may die. */
export function mortalWallet(wallet: Wallet, life: Life): Wallet {
  return {
    ...wallet,
    request: async (method, params) => life.look(async () => wallet.request(method, params)),
    sendTransaction: async (transaction) => life.deal(async () => wallet.sendTransaction(transaction)),
    signTypedData: async (typedData) => life.deal(async () => wallet.signTypedData(typedData)),
  };
}

/** A bridge in the hands of a client that may die. */
export function mortalBridge(bridge: Bridge, life: Life): Bridge {
  return {
    ...bridge,
    fetch: async (input, init) => {
      const ask = async () => fetch(input, init);
      return init?.method === 'POST' ? life.deal(ask) : life.look(ask);
    },
  };
}

/** The records of one origin of pages, or of one folder: they outlive the clients. */
export class SharedStore {
  private readonly records = new Map<string, string>();

  /** The store in the hands of a client that may die. */
  open(life: Life): RecordStore {
    return {
      load: (id) => this.read(id),
      save: async (record) => life.deal(() => void this.records.set(record.id, JSON.stringify(record))),
    };
  }

  list(): readonly TransferRecord[] {
    return [...this.records.values()].map((text) => JSON.parse(text) as TransferRecord);
  }

  private read(id: string): TransferRecord | null {
    const text = this.records.get(id);
    return text === undefined ? null : (JSON.parse(text) as TransferRecord);
  }
}
