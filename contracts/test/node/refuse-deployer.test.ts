import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { deployBridge, deploymentConfigSchema, readAddressBook, verifyDeployment } from '../../deploy/index.js';
import { refuseDeployer } from '../../deploy/verify/refuse-deployer.js';
import { addressOfDigit as at, exampleConfig } from '../example-config.js';
import { localConfig } from '../local-config.js';
import { deployer } from '../test-keys.js';

const nobody = { ethereum: at(14), partner: at(15) };
const testnet = (over: object = {}) => deploymentConfigSchema.parse(exampleConfig('testnet', over));

describe('refuseDeployer', () => {
  it.each(['admin', 'policyManager', 'guardian'])('refuses a deployer that is %s of either chain', (office) => {
    const config = testnet({ [office]: { ethereum: at(12), partner: at(13) } });
    expect(() => refuseDeployer(config, nobody)).not.toThrow();
    const reason = new RegExp(`must not be the ${office} of testnet`);
    expect(() => refuseDeployer(config, { ...nobody, ethereum: at(12) })).toThrow(reason);
    expect(() => refuseDeployer(config, { ...nobody, ethereum: at(13) })).toThrow(reason);
    expect(() => refuseDeployer(config, { ...nobody, partner: at(12) })).toThrow(reason);
  });

  it.each(['relayer', 'treasury'])('refuses a deployer that is %s', (office) => {
    expect(() => refuseDeployer(testnet({ [office]: at(14) }), nobody)).toThrow(/must not be the (relayer|treasury)/);
  });

  it('lets the deployer of a local environment rule', () => {
    const config = localConfig({ guardian: at(14), treasury: at(14) });
    expect(() => refuseDeployer(config, nobody)).not.toThrow();
  });

  it('comes before anything is sent, and belongs to what is read back', async () => {
    const config = testnet({ guardian: deployer.address });
    const target = { wallet: { account: deployer } } as Parameters<typeof deployBridge>[0]['ethereum'];
    await expect(deployBridge({ config, ethereum: target, partner: target })).rejects.toThrow(
      /must not be the guardian/,
    );
    const deployers = { ethereum: deployer.address, partner: deployer.address };
    const book = readAddressBook(fileURLToPath(new URL('../../deployments/local.json', import.meta.url)));
    const input = { book, config, deployers, ethereum: target, partner: target };
    await expect(verifyDeployment(input)).rejects.toThrow(/must not be the guardian/);
  });
});
