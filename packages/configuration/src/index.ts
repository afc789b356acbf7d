export { ConfigurationError, getExitCode, readEach } from './configuration-error.js';
export { exampleFile, referenceTable, variablesHelp } from './documents.js';
export {
  filePath,
  isOrigin,
  isUrl,
  list,
  listenHost,
  listenPort,
  logLevel,
  optionalList,
  privateKey,
  wholeNumber,
} from './values.js';
export { describeVariables, readVariables } from './variables.js';
