import type { z } from 'zod';
import { describeVariables } from './variables.js';

/** Shown once per document. */
export const SECRETS_RULE =
  'A secret can be read from a file: the variable NAME_FILE is the path of a file with the value of NAME, which ' +
  'only its owner and its group may access.';

/** The part of `--help` that lists the variables. */
export function variablesHelp(variables: z.ZodObject): string {
  const lines = describeVariables(variables).flatMap(
    ({ name, purpose, accepted, isRequired, isSecret, defaultValue }) => {
      const note = isRequired ? ' Required.' : defaultValue === undefined ? '' : ` Default: ${defaultValue}.`;
      const secret = isSecret ? ` Secret, or in the file ${name}_FILE.` : '';
      return [`  ${name}`, `      ${purpose}${note}${secret}`, `      Accepts ${accepted}.`];
    },
  );
  return [`Environment variables. ${SECRETS_RULE}`, ...lines].join('\n');
}

/** The variables as a table in Markdown. */
export function referenceTable(variables: z.ZodObject): string {
  const escape = (text: string) => text.replaceAll(/[|*]/g, String.raw`\$&`);
  const rows = describeVariables(variables).map(({ name, purpose, accepted, isRequired, isSecret, defaultValue }) => {
    const value = isRequired ? 'required' : defaultValue === undefined ? '' : `\`${defaultValue}\``;
    const secret = isSecret ? ` **Secret**, or in the file \`${name}_FILE\`.` : '';
    return `| \`${name}\` | ${escape(purpose)}${secret} | ${escape(accepted)} | ${value} |`;
  });
  return ['| Variable | Meaning | Accepts | Default |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** The variables as a file for `node --env-file`: required ones with an example, the others as comments. */
export function exampleFile(service: string, variables: z.ZodObject): string {
  const entries = describeVariables(variables).map(
    ({ name, purpose, isRequired, isSecret, defaultValue = '', example }) =>
      [
        `# ${purpose}${isSecret ? ` Secret, or in the file ${name}_FILE.` : ''}`,
        isRequired ? `${name}=${example}` : `# ${name}=${defaultValue}`,
      ].join('\n'),
  );
  const head = [
    `# Environment of the ${service}. Copy this file to \`.env\`, fill it in, and start with`,
    '# `node --env-file=.env dist/bundle/main.js`. Commented lines show the default values.',
    `# ${SECRETS_RULE}`,
  ];
  return `${[head.join('\n'), ...entries].join('\n\n')}\n`;
}
