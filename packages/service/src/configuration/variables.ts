import { z } from 'zod';
import { ConfigurationError } from './configuration-error.js';
import { readSecrets } from './secret-file.js';

declare module 'zod' {
  interface GlobalMeta {
    /** True for a value that belongs in a secret store. */
    readonly isSecret?: boolean;
    /** Value in `.env.example` for a required variable. */
    readonly example?: string;
  }
}

/**
 * Reads and validates all variables of a service. An empty variable counts as unset. A secret can be in the file that
 * `<name>_FILE` names.
 *
 * @throws ConfigurationError with one line per missing or invalid variable, never with a value, which may be secret.
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

/** A variable for documentation. */
export interface Variable {
  readonly name: string;
  readonly purpose: string;
  /** Accepted values, such as "a whole number from 0 to 65535". */
  readonly accepted: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** Undefined if there is no default. */
  readonly defaultValue: string | undefined;
  readonly example: string;
}

/** Lists the variables in the order of definition. */
export function describeVariables(variables: z.ZodObject): readonly Variable[] {
  return Object.entries(variables.shape).map(([name, schema]) => {
    const absent = z.safeParse(schema, undefined);
    // The error for a non-text value states the rule for the text.
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
