import { createRequire } from 'node:module';
import { ImageError } from './programs.mjs';

const require = createRequire(new URL('../../scripts/tools/images/package.json', import.meta.url));
const { Factories } = require('@cyclonedx/cyclonedx-library/Contrib/License');
const { ComponentType, LicenseAcknowledgement } = require('@cyclonedx/cyclonedx-library/Enums');
const { Bom, Component } = require('@cyclonedx/cyclonedx-library/Models');
const { JSON: Json, JsonSerializer } = require('@cyclonedx/cyclonedx-library/Serialize');
const { Spec1dot6 } = require('@cyclonedx/cyclonedx-library/Spec');
const { JsonStrictValidator } = require('@cyclonedx/cyclonedx-library/Validation');
const validateExpression = require('spdx-expression-parse');

const licences = new Factories.LicenseFactory(validateExpression);

/**
 * Lists the contents of an image in CycloneDX 1.6.
 *
 * @param image name and version, libraries of npm, Debian packages, the version of Node, and the time of the build.
 * @returns the document, validated against its schema.
 */
export async function listContents({ name, version, libraries, debian, node, builtAt }) {
  const bom = new Bom();
  bom.metadata.timestamp = new Date(builtAt);
  bom.metadata.component = new Component(ComponentType.Container, name, { version, bomRef: name });
  const components = [
    describe(ComponentType.Platform, { name: 'node', version: node, license: 'MIT' }, `pkg:generic/node@${node}`),
    ...debian.map((each) =>
      describe(
        ComponentType.Library,
        each,
        `pkg:deb/debian/${encodeURIComponent(each.name)}@${encodeURIComponent(each.version)}` +
          `?arch=${each.architecture}&distro=${each.suite}`,
      ),
    ),
    ...libraries.map((each) =>
      describe(
        ComponentType.Library,
        each,
        `pkg:npm/${each.name.split('/').map(encodeURIComponent).join('/')}@${encodeURIComponent(each.version)}`,
      ),
    ),
  ];
  for (const each of new Map(components.map((component) => [component.purl, component])).values()) {
    bom.components.add(each);
    bom.metadata.component.dependencies.add(each.bomRef);
  }
  const text = new JsonSerializer(new Json.Normalize.Factory(Spec1dot6)).serialize(bom, { sortLists: true, space: 2 });
  const problem = await new JsonStrictValidator(Spec1dot6.version).validate(text);
  if (problem !== null)
    throw new ImageError(`The contents of ${name} violate the CycloneDX schema: ${JSON.stringify(problem)}`);
  return `${text}\n`;
}

function describe(type, { name, version, license }, purl) {
  const component = new Component(type, name, { version, purl, bomRef: purl });
  if (license === undefined) return component;
  const licence = licences.makeFromString(license);
  licence.acknowledgement = LicenseAcknowledgement.Declared;
  component.licenses.add(licence);
  return component;
}
