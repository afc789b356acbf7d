export { addressBookSchema, type AddressBook } from './address-book.js';
export { readAddressBook, writeAddressBook } from './address-book-file.js';
export { deployBridge, type DeployBridgeInput } from './deploy-bridge.js';
export type { DeployTarget } from './deploy-target.js';
export { deploymentConfigSchema, type DeploymentConfig } from './deployment-config.js';
export { verifyDeployment, type VerifyDeploymentInput } from './verify/verify-deployment.js';
