import type { z } from 'zod';
import { describeVariables } from './variables.js';

/** The part of `--help` that lists the variables. */
export function variablesHelp(variables: z.ZodObject): string {
  const lines = describeVariables(variables).flatMap(({ name, purpose, accepted, isRequired, defaultValue }) => {
    const note = isRequired ? ' Required.' : defaultValue === undefined ? '' : ` Default: ${defaultValue}.`;
    return [`  ${name}`, `      ${purpose}${note}`, `      Accepts ${accepted}.`];
  });
  return ['Environment variables:', ...lines].join('\n');
}

/** The variables as a table in Markdown. */
export function referenceTable(variables: z.ZodObject): string {
  const escape = (text: string) => text.replaceAll(/[|*]/g, String.raw`\$&`);
  const rows = describeVariables(variables).map(({ name, purpose, accepted, isRequired, isSecret, defaultValue }) => {
    const value = isRequired ? 'required' : defaultValue === undefined ? '' : `\`${defaultValue}\``;
    return `| \`${name}\` | ${escape(purpose)}${isSecret ? ' **Secret.**' : ''} | ${escape(accepted)} | ${value} |`;
  });
  return ['| Variable | Meaning | Accepts | Default |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** The variables as a file for `node --env-file`: required ones with an example, the others as comments. */
export function exampleFile(service: string, variables: z.ZodObject): string {
  const entries = describeVariables(variables).map(({ name, purpose, isRequired, defaultValue = '', example }) =>
    [`# ${purpose}`, isRequired ? `${name}=${example}` : `# ${name}=${defaultValue}`].join('\n'),
  );
  const head = [
    `# Environment of the ${service}. Copy this file to \`.env\`, fill it in, and start with`,
    '# `node --env-file=.env dist/bundle/main.js`. Lines that are commented out show the default values.',
  ];
  return `${[head.join('\n'), ...entries].join('\n\n')}\n`;
}
