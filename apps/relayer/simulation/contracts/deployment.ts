import { ASSETS, DEFAULT_FEE_POLICIES, type AddressBook, type Asset, type FeePolicy } from '@causeway/protocol';
import { zeroAddress, type Address } from 'viem';
import type { Contract, Contracts } from '../chain/execution.ts';
import { BridgeLock } from './bridge-lock.ts';
import { BridgeMint } from './bridge-mint.ts';
import type { Limits, TokenSetup } from './bridge-tokens.ts';
import { bridgedTokenContract } from './bridged-token.ts';
import { ethereumTokenContracts, ethereumTokens } from './erc20.ts';

/** The accounts of a deployment. */
interface Roles {
  readonly admin: Address;
  readonly guardian: Address;
  readonly policyManager: Address;
  readonly treasury: Address;
}

/** What a deployment sets. Limits in atomic units and seconds. */
export interface DeploymentTerms {
  readonly book: AddressBook;
  readonly roles: Roles;
  readonly limits: Readonly<Record<Asset, Limits>>;
  readonly limitCeilings: Readonly<Record<Asset, Limits>>;
  readonly fees?: Readonly<Record<Asset, FeePolicy>>;
  readonly feeCeilings?: Readonly<Record<Asset, FeePolicy>>;
}

/** The contracts of both chains. */
export interface Deployment {
  readonly ethereum: Contracts;
  readonly partner: Contracts;
}

/** A transaction to this address runs the constructors of its chain. It must be the first one. */
export const FACTORY: Address = `0x${'fac7'.repeat(10)}`;

/** Limits count in ten to the power of these, in atomic units, as in the local deployment. */
const UNIT_EXPONENTS = { ETH: 13n, USDC: 4n, XCN: 17n } as const;
const XCN_GRANULARITY_EXPONENT = 10n;

/** The contracts of the bridge, before their constructors have run. `roles.admin` owns both. */
export function deploymentOf(terms: DeploymentTerms): Deployment {
  const { book, roles } = terms;
  const { ethereum, partner, relayer } = book;
  const setup = (peer: Address, peerChainId: number) => ({
    ...roles,
    relayer,
    peer,
    peerChainId: BigInt(peerChainId),
  });
  const listed = (asset: Asset, token: Address): TokenSetup => ({
    token,
    granularityExponent: asset === 'XCN' ? XCN_GRANULARITY_EXPONENT : 0n,
    unitExponent: UNIT_EXPONENTS[asset],
    limits: terms.limits[asset],
    ceiling: terms.limitCeilings[asset],
  });
  const onEthereum = { ETH: zeroAddress, ...ethereum.tokens };
  const onPartner = { ...partner.tokens, XCN: zeroAddress };
  const lock = new BridgeLock({
    setup: setup(partner.bridgeMint, partner.chainId),
    tokens: ASSETS.map((asset) => listed(asset, onEthereum[asset])),
    xcn: ethereum.tokens.XCN,
    treasury: roles.treasury,
    erc20s: new Map([
      [ethereum.tokens.USDC, ethereumTokens.USDC],
      [ethereum.tokens.XCN, ethereumTokens.XCN],
    ]),
  });
  const fees = terms.fees ?? DEFAULT_FEE_POLICIES;
  const ceilings = terms.feeCeilings ?? fees;
  const policyOf = ({ bps, minFee, minAmount }: FeePolicy) => ({ bps: BigInt(bps), minFee, minAmount });
  const mint = new BridgeMint({
    setup: setup(ethereum.bridgeLock, ethereum.chainId),
    tokens: ASSETS.map((asset) => listed(asset, onPartner[asset])),
    fees: ASSETS.map((asset) => ({
      token: onPartner[asset],
      policy: policyOf(fees[asset]),
      ceiling: policyOf(ceilings[asset]),
    })),
    nativeUnit: BigInt(partner.nativeUnit),
  });
  const tokens = ethereumTokenContracts();
  return {
    ethereum: new Map([
      [FACTORY, factory(ethereum.bridgeLock, lock)],
      [ethereum.bridgeLock, lock.contract],
      [ethereum.tokens.USDC, tokens.USDC],
      [ethereum.tokens.XCN, tokens.XCN],
    ]),
    partner: new Map([
      [FACTORY, factory(partner.bridgeMint, mint)],
      [partner.bridgeMint, mint.contract],
      [partner.tokens.ETH, bridgedTokenContract()],
      [partner.tokens.USDC, bridgedTokenContract()],
    ]),
  };
}

function factory(at: Address, bridge: BridgeLock | BridgeMint): Contract {
  return {
    code: '0xfe',
    run: (frame) => {
      frame.execution.gasUsed = 3_000_000n;
      bridge.setUp(frame.at(at));
      return '0x';
    },
  };
}
