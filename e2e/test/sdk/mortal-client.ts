import type { Bridge, RecordStore, TransferRecord, Wallet } from '@causeway/sdk';

/** Thrown inside a killed client. */
export class KilledError extends Error {
  override readonly name = 'KilledError';
}

/**
 * The life of a client, a page or a process. It is killed at one of its interactions, before this happens or before the
 * answer arrives. Its later actions have no effect.
 */
export class Life {
  private dealings = 0;
  private hasEnded = false;

  /** @param last the number of its last interaction; Infinity for a client that is not killed. */
  constructor(
    private readonly last = Number.POSITIVE_INFINITY,
    private readonly dies: 'before' | 'after' = 'before',
    private readonly onDeath: () => void = () => undefined,
  ) {}

  get isOver(): boolean {
    return this.hasEnded;
  }

  /** Makes a read, which has no side effect. */
  async look<T>(work: () => Promise<T>): Promise<T> {
    if (this.hasEnded) throw new KilledError();
    return work();
  }

  /** Makes an interaction with a side effect. */
  async deal<T>(work: () => Promise<T> | T): Promise<T> {
    if (this.hasEnded) throw new KilledError();
    this.dealings += 1;
    if (this.dealings < this.last) return work();
    this.hasEnded = true;
    this.onDeath();
    // An open wallet window stays open.
    if (this.dies === 'after') void Promise.resolve(work()).catch(() => undefined);
    throw new KilledError();
  }
}

/** Wraps a wallet for a client that can be killed. */
export function mortalWallet(wallet: Wallet, life: Life): Wallet {
  return {
    ...wallet,
    request: async (method, params) => life.look(async () => wallet.request(method, params)),
    sendTransaction: async (transaction) => life.deal(async () => wallet.sendTransaction(transaction)),
    signTypedData: async (typedData) => life.deal(async () => wallet.signTypedData(typedData)),
  };
}

/** Wraps a bridge for a client that can be killed. */
export function mortalBridge(bridge: Bridge, life: Life): Bridge {
  return {
    ...bridge,
    fetch: async (input, init) => {
      const ask = async () => fetch(input, init);
      return init?.method === 'POST' ? life.deal(ask) : life.look(ask);
    },
  };
}

/** The records of one page origin or folder, which outlive the clients. */
export class SharedStore {
  private readonly records = new Map<string, string>();

  /** Wraps the store for a client that can be killed. */
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
