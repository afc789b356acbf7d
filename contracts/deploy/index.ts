export type { AddressBook } from './address-book.js';
export { addressBookSchema } from './address-book-schema.js';
export { readAddressBook, writeAddressBook } from './address-book-file.js';
export type { DeployTarget } from './chains.js';
export { deployBridge, type DeployBridgeInput } from './deploy-bridge.js';
export { deploymentConfigSchema, type DeploymentConfig } from './deployment-config.js';
export { planDeployment, type DeploymentPlan } from './plan-deployment.js';
export { verifyDeployment, type VerifyDeploymentInput } from './verify-deployment.js';
