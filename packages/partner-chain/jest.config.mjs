import preset from '../../jest.preset.mjs';

// SWC drops import attributes by default; the predeploys are imported from a JSON file with one.
const [pattern] = Object.keys(preset.transform);
const [transformer, options] = preset.transform[pattern];
const jsc = { ...options.jsc, experimental: { keepImportAttributes: true } };

export default { ...preset, transform: { [pattern]: [transformer, { ...options, jsc }] } };
