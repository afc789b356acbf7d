import { environmentVariables } from './environment-variables.js';

/** Every environment variable of the gateway with its meaning and its default, a line each, for `--help`. */
export function describeVariables(): string {
  const variables = Object.entries(environmentVariables.shape);
  const width = Math.max(...variables.map(([name]) => name.length));
  return variables
    .map(([name, schema]) => {
      const byDefault = schema.safeParse(undefined).data;
      const shown = byDefault === undefined || String(byDefault) === '' ? '' : ` Default: ${String(byDefault)}.`;
      return `${name.padEnd(width)}  ${schema.description ?? ''}${shown}`;
    })
    .join('\n');
}
