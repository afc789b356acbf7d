import { z } from 'zod';
import { ConfigurationError } from './configuration-error.js';
import { readSecrets } from './secret-file.js';

declare module 'zod' {
  interface GlobalMeta {
    /** The value belongs in a store of secrets. */
    readonly isSecret?: boolean;
    /** The value that `.env.example` sets, for a variable that is required. */
    readonly example?: string;
  }
}

/**
 * Reads and checks all variables of a service. An empty variable counts as not set. A secret may be given by the file
 * that `<its name>_FILE` names.
 *
 * @throws ConfigurationError with a line for each variable that is missing or wrong. It never contains a value: those
 *   may be secrets.
 */
export function readVariables<S extends z.ZodObject>(
  variables: S,
  env: Readonly<Record<string, string | undefined>>,
): z.output<S> {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const secrets = Object.keys(variables.shape).filter((name) => isSecret(variables.shape[name]));
  const { values, problems, sources } = readSecrets(secrets, set);
  const given = { ...set, ...values };
  const parsed = variables.safeParse(given);
  if (parsed.success && problems.size === 0) return parsed.data;
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = String(path[0]);
    if (problems.has(name)) continue;
    const subject = sources.get(name) ?? name;
    problems.set(name, given[name] === undefined ? `${name} is not set; it ${message}` : `${subject} ${message}`);
  }
  throw new ConfigurationError([...problems.values()]);
}

function isSecret(schema: z.core.$ZodType | undefined): boolean {
  return schema !== undefined && z.globalRegistry.get(schema)?.isSecret === true;
}

/** A variable, as documents show it. */
export interface Variable {
  readonly name: string;
  readonly purpose: string;
  /** The values that it accepts, such as "a whole number from 0 to 65535". */
  readonly accepted: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** Undefined when there is none. */
  readonly defaultValue: string | undefined;
  readonly example: string;
}

/** Lists the variables in the order of their definition. */
export function describeVariables(variables: z.ZodObject): readonly Variable[] {
  return Object.entries(variables.shape).map(([name, schema]) => {
    const absent = z.safeParse(schema, undefined);
    // Variables are text: the error about something else says what the text must be.
    const rule = z.safeParse(schema, null).error?.issues[0]?.message ?? '';
    const { description = '', example = '' } = z.globalRegistry.get(schema) ?? {};
    const defaultText = absent.success && absent.data !== undefined ? String(absent.data) : '';
    return {
      name,
      purpose: description,
      accepted: rule.replace(/^must (?:be )?/, ''),
      isRequired: !absent.success,
      isSecret: isSecret(schema),
      defaultValue: defaultText === '' ? undefined : defaultText,
      example,
    };
  });
}
