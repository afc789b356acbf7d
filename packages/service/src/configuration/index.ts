export { ConfigurationError, describeError, EX_CONFIG, getExitCode, readEach } from './configuration-error.js';
export { exampleFile, referenceTable, SECRETS_RULE, variablesHelp } from './documents.js';
export { parseEndpoint } from './endpoint.js';
export { describeRelease, readRelease, type Release } from './release.js';
export { readSecretFile } from './secret-file.js';
export {
  docsUrl,
  filePath,
  hasEscapedCredentials,
  isOrigin,
  isUrl,
  list,
  listenHost,
  listenPort,
  logLevel,
  optionalList,
  postgresUrl,
  privateKey,
  wholeNumber,
} from './values.js';
export { describeVariables, readVariables } from './variables.js';
