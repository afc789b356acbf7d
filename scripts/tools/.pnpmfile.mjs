/** Gives a package of the registry dependencies that suit it: pnpm takes the peers of a package from its user. */
function readPackage(manifest) {
  // It calls the compiler from JavaScript, which TypeScript 7 does not offer.
  if (manifest.name === '@hey-api/openapi-ts') {
    delete manifest.peerDependencies.typescript;
    manifest.dependencies.typescript = '6.0.3';
  }
  return manifest;
}

export const hooks = { readPackage };
