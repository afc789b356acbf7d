import type { AddressBook } from '@causeway/contracts/address-book';
import type { ChainName } from '@causeway/contracts/deploy';
import type { AdminCall, Clients, PlannedCalls } from '../calls/calls.js';

// The table of commands. Both the command line and the operators' console are generated from it.

/** One option of a command. */
export interface CommandOption<T = unknown> {
  /** The placeholder of its value in the help, such as `amount`; null for a switch, whose values are yes and no. */
  readonly placeholder: string | null;
  readonly description: string;
  /** Its allowed values; null when there are many. */
  readonly choices: readonly string[] | null;
  /** The default value; null for a required option. */
  readonly fallback: string | null;
  /**
   * Reads the text.
   *
   * @param earlier the values of the preceding options: the unit of an amount depends on the asset.
   * @throws Error whose message completes "the option …".
   */
  readonly parse: (text: string, earlier: Readonly<Record<string, unknown>>) => T;
}

/** A command with the values of its options. */
export interface CommandPlan {
  /** The chains of the calls. Only their nodes are required. */
  readonly chains: readonly ChainName[];
  /**
   * Computes the calls. The caller omits calls on other chains.
   *
   * @param clients the clients of the chains of the calls.
   * @param named the clients of all given nodes, for a comparison with the other chain.
   * @param report receives progress lines of long reads.
   * @throws PlanRefusedError when a call would do harm.
   */
  readonly plan: (
    book: AddressBook,
    clients: Clients,
    named: Clients,
    report: (line: string) => void,
  ) => PlannedCalls | Promise<PlannedCalls>;
  /** Computes the same calls from the address book alone. Omitted where they depend on the contracts' state. */
  readonly fromBook?: (book: AddressBook) => readonly AdminCall[];
}

/** A command of an operator. */
export interface AdminCommand {
  readonly name: string;
  readonly description: string;
  /** The account that may make its calls. */
  readonly role: 'admin' | 'guardian' | 'pauser' | 'policy manager' | 'relayer' | 'office' | 'anyone';
  /** By name, without the dashes of the command line. */
  readonly options: Readonly<Record<string, CommandOption>>;
  /** For an emergency: one call is made even if the other one cannot be. */
  readonly isWorthHalf: boolean;
  /** Whether the operator has to confirm the changes before they are sent. */
  readonly needsConfirmation: boolean;
  /** Whether the command records the new relayer in the address book. */
  readonly recordsRelayer: boolean;
  /**
   * Reads the options.
   *
   * @throws OptionError
   */
  readonly read: (texts: Readonly<Record<string, string>>) => CommandPlan;
}

/** An option is missing, unknown or malformed. `option` is its name. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
  readonly docsPath = 'operate/reference.md#admin-commands';
  constructor(
    readonly option: string,
    /** Completes a sentence that begins with the option's name. */
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`--${option}: ${reason}`, options);
  }
}

type Options = Readonly<Record<string, CommandOption>>;
type ValuesOf<O extends Options> = { readonly [K in keyof O]: O[K] extends CommandOption<infer T> ? T : never };

/** Defines a command. Its plan receives the parsed options. */
export function defineCommand<const O extends Options>(definition: {
  readonly name: string;
  readonly description: string;
  readonly role: AdminCommand['role'];
  readonly options: O;
  readonly isWorthHalf?: boolean;
  readonly needsConfirmation?: boolean;
  readonly recordsRelayer?: boolean;
  readonly plan: (values: ValuesOf<O>) => CommandPlan;
}): AdminCommand {
  const { name, description, role, options, plan } = definition;
  const { isWorthHalf = false, needsConfirmation = true, recordsRelayer = false } = definition;
  return {
    name,
    description,
    role,
    options,
    isWorthHalf,
    needsConfirmation,
    recordsRelayer,
    read: (texts) => plan(readOptions(name, options, texts) as ValuesOf<O>),
  };
}

function readOptions(
  command: string,
  options: Options,
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const names = Object.keys(options);
  for (const name of Object.keys(texts)) {
    if (!names.includes(name))
      throw new OptionError(name, `is not an option of ${command}, which has ${names.join(', ')}`);
  }
  const given = new Map(Object.entries(texts));
  const values = new Map<string, unknown>();
  for (const [name, { choices, fallback, parse }] of Object.entries(options)) {
    const text = given.get(name) ?? fallback;
    if (text === null) throw new OptionError(name, `is required by ${command}`);
    if (choices !== null && !choices.includes(text))
      throw new OptionError(name, `must be one of ${choices.join(', ')}`);
    try {
      values.set(name, parse(text, Object.fromEntries(values)));
    } catch (cause) {
      throw new OptionError(name, cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }
  return Object.fromEntries(values);
}
