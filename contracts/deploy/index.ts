export type { AddressBook } from './address-book.js';
export { addressBookSchema } from './address-book-schema.js';
export { readAddressBook, writeAddressBook } from './address-book-file.js';
export { listSettings, type AssetSettings } from './asset-settings.js';
export {
  CHAIN_IDS,
  CHAIN_NAMES,
  connectTarget,
  repeatReads,
  makeChain,
  sendAndWait,
  type ChainName,
  type DeployTarget,
} from './chains.js';
export { deployBridge, type DeployBridgeInput } from './deploy-bridge.js';
export { deployTestTokens, type DeployTestTokensInput } from './deploy-test-tokens.js';
export { deploymentConfigSchema, readDeploymentConfig, type DeploymentConfig } from './deployment-config.js';
export { planDeployment, type DeploymentPlan } from './plan-deployment.js';
export { simulateDeployment, type SimulatedDeployment } from './simulate-deployment.js';
export { verifyDeployment, type VerifyDeploymentInput } from './verify-deployment.js';
