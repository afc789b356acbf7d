import { z } from 'zod';

/** The three environments of the bridge. */
export const environmentSchema = z.enum(['local', 'testnet', 'mainnet']);

/** local, testnet or mainnet. */
export type Environment = z.infer<typeof environmentSchema>;

/** The chains of an environment and its defaults; the live values are configuration of the services. */
export interface ChainProfile {
  readonly environment: Environment;
  readonly ethereumChainId: number;
  readonly partnerChainId: number;
  /** Confirmations after which a transaction counts as final (specification, Limits). */
  readonly requiredConfirmations: { readonly ethereum: number; readonly partner: number };
  /** Security hold of withdrawals (specification, Limits). */
  readonly holdSeconds: number;
  /** Seconds between blocks, for estimates only. */
  readonly blockSeconds: { readonly ethereum: number; readonly partner: number };
}

const COMMON = {
  requiredConfirmations: { ethereum: 12, partner: 6 },
  holdSeconds: 3_600,
  blockSeconds: { ethereum: 12, partner: 2 },
} as const;

const PROFILES: Readonly<Record<Environment, ChainProfile>> = {
  mainnet: { environment: 'mainnet', ethereumChainId: 1, partnerChainId: 327, ...COMMON },
  testnet: { environment: 'testnet', ethereumChainId: 11_155_111, partnerChainId: 8_901, ...COMMON },
  local: { environment: 'local', ethereumChainId: 31_337, partnerChainId: 8_901, ...COMMON },
};

/** The profile of an environment. */
export function chainProfile(environment: Environment): ChainProfile {
  return PROFILES[environment];
}

/** Every chain id the bridge knows, of all environments: a signature for another one of them is told apart. */
export const KNOWN_CHAIN_IDS: readonly number[] = [
  ...new Set(Object.values(PROFILES).flatMap((profile) => [profile.ethereumChainId, profile.partnerChainId])),
];
