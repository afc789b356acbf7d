import { parseEther, parseGwei } from 'viem';
import type { Configuration } from '../../dist/configuration.js';
import { BOOK, ROLES } from '../bridge.ts';

/** Confirmations after which a block is final. */
export const CONFIRMATIONS = { ethereum: 3, partner: 3 } as const;
/** Milliseconds between blocks of each chain. */
export const BLOCK_MS = { ethereum: 12_000, partner: 12_000 } as const;

const nodes = { urls: [], headUrls: [], quorum: 2, warning: null } as const;
const limits = {
  gasReserve: parseEther('1'),
  maxFeePerGas: parseGwei('500'),
  maxFeePerDelivery: parseEther('5'),
  maxDailyFees: parseEther('500'),
};

/** The operators whose signatures count. */
export const OPERATORS = [ROLES.admin, ROLES.guardian] as const;

/** The configuration of the simulated relayers. Fields that only `main` and the connections use are empty. */
export const CONFIGURATION: Configuration = {
  environment: 'local',
  databaseUrl: '',
  ethereumNodes: nodes,
  partnerNodes: nodes,
  mirrorUrls: [],
  addressBook: BOOK,
  wallets: [BOOK.relayer],
  paidForWallets: [],
  signer: { kind: 'raw', privateKey: ROLES.relayer.privateKey },
  approvals: {
    operators: OPERATORS.map(({ address }) => address),
    rootAdmins: [],
    oneApprovalUpTo: { ETH: 0n, USDC: 0n, XCN: 0n },
  },
  holdSeconds: 10,
  ethereumConfirmations: CONFIRMATIONS.ethereum,
  partnerConfirmations: CONFIRMATIONS.partner,
  blockSeconds: { ethereum: 12, partner: 2 },
  pollMs: 15_000,
  name: 'relayer',
  leaseMs: 15_000,
  reconcileQuietMs: 600_000,
  replaceAfterMs: 30_000,
  retireAfterMs: 40_000,
  spendingLimits: { ethereum: limits, partner: limits },
  notifications: { environment: 'local', docsUrl: '', mail: null, chat: null, pager: null },
  retention: { rawTransactions: null, journal: null, notifications: null, requests: null, verdicts: null, audit: null },
  metrics: null,
  exchange: null,
  tracing: null,
  logLevel: 'silent',
};
