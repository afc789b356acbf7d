import { encodeAbiParameters, getContractAddress, getCreate2Address, keccak256, type Address, type Hex } from 'viem';

/** Creation code of the proxy in BridgeFactory. */
const PROXY_CODE: Hex = '0x67363d3d37363d34f03d5260086018f3';

/** Where BridgeFactory puts what `deployer` deploys under `salt`: its `addressOf`, without asking a chain. */
export function addressOfSalt(factory: Address, deployer: Address, salt: Hex): Address {
  const ownSalt = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [deployer, salt]));
  const proxy = getCreate2Address({ from: factory, salt: ownSalt, bytecode: PROXY_CODE });
  // The nonce of a new contract is 1.
  return getContractAddress({ from: proxy, nonce: 1n });
}
