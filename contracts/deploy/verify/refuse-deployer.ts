import { isAddressEqual, type Address } from 'viem';
import type { DeploymentConfig } from '../deployment-config.js';

/**
 * Refuses a deployer that the configuration gives an office, on either chain. A key that deploys lies on a machine that is
 * online; only in the local environment may it rule as well.
 *
 * @throws Error naming the office.
 */
export function refuseDeployer(
  config: DeploymentConfig,
  deployers: { readonly ethereum: Address; readonly partner: Address },
): void {
  const { environment, admin, policyManager, guardian, relayer, treasury } = config;
  if (environment === 'local') return;
  const offices = {
    admin: Object.values(admin ?? {}),
    policyManager: Object.values(policyManager ?? {}),
    guardian: Object.values(guardian),
    relayer: [relayer],
    treasury: [treasury],
  };
  for (const [office, holders] of Object.entries(offices)) {
    for (const deployer of [deployers.ethereum, deployers.partner]) {
      if (!holders.some((holder) => isAddressEqual(holder, deployer))) continue;
      throw new Error(`The deployer ${deployer} must not be the ${office} of ${environment}: deploy with another key`);
    }
  }
}
