import type { WalletProvider } from '../src/wallet/provider.js';

/** The answer of a wallet to a method: a value, a thrown value, or a promise. */
export type Script = Readonly<Record<string, (...params: readonly never[]) => unknown>>;

/** A wallet that answers as a test says (EIP-1193). */
export class ScriptedProvider implements WalletProvider {
  readonly methods: string[] = [];
  private readonly listeners = new Set<readonly [event: string, listener: (value: unknown) => void]>();

  constructor(private readonly script: Script) {}

  async request({ method, params = [] }: { method: string; params?: readonly unknown[] }): Promise<unknown> {
    this.methods.push(method);
    const answer = this.script[method];
    if (answer === undefined) throw Object.assign(new Error(`no ${method}`), { code: 4_200 });
    return answer(...(params as never[]));
  }

  on(event: string, listener: (value: unknown) => void): void {
    this.listeners.add([event, listener]);
  }

  removeListener(event: string, listener: (value: unknown) => void): void {
    for (const each of this.listeners) if (each[0] === event && each[1] === listener) this.listeners.delete(each);
  }

  /** Announces a change, as the user of a wallet makes it. */
  emit(event: string, value: unknown): void {
    for (const [name, listener] of this.listeners) if (name === event) listener(value);
  }

  /** How many listeners are left. */
  get listenerCount(): number {
    return this.listeners.size;
  }
}
