export { Content, SkipLink } from './content.js';
export { parseSearch, pickParams, stringifySearch } from './search-params.js';
