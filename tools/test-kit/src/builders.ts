import { keccak256, toHex, type Address, type Hex } from 'viem';

/** The chain ids of the environment `local`. */
export const ETHEREUM = 31_337;
export const PARTNER = 8_901;

let counter = 0;

/** Returns a unique hash. */
export function aHash(): Hex {
  counter += 1;
  return keccak256(toHex(counter));
}

/** Returns a unique address, or the address of a name. */
export function anAddress(name = `address ${counter++}`): Address {
  return keccak256(toHex(name)).slice(0, 42) as Address;
}

/** The address book of the environment `local`, with addresses without contracts. */
export function anAddressBook() {
  return {
    environment: 'local' as const,
    ethereum: {
      chainId: ETHEREUM,
      bridgeLock: anAddress('lock'),
      sentinel: anAddress('sentinel ethereum'),
      tokens: { USDC: anAddress('usdc'), XCN: anAddress('xcn') },
      deployedAtBlock: 1,
    },
    partner: {
      chainId: PARTNER,
      bridgeMint: anAddress('mint'),
      sentinel: anAddress('sentinel partner'),
      tokens: { ETH: anAddress('bridged eth'), USDC: anAddress('bridged usdc') },
      deployedAtBlock: 1,
      nativeUnit: '1',
    },
    relayer: anAddress('relayer'),
  };
}
