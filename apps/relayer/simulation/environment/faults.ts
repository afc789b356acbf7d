import { getToken, type Side } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import {
  encodeAbiParameters,
  encodeEventTopics,
  numberToHex,
  parseAbiParameters,
  parseEther,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { BOOK } from '../bridge.ts';
import type { EmittedLog } from '../chain/evm.ts';
import {
  forgeBlock,
  inventedBlock,
  inventedLog,
  otherBalance,
  otherHead,
  otherReceipts,
  otherReturn,
} from '../chain/lies.ts';
import type { MirrorFaults } from '../chain/mirror.ts';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import type { NodeFaults } from '../chain/simulated-node.ts';
import { readTransaction } from '../chain/transactions.ts';
import { USERS } from './people.ts';
import type { MirrorFault, NodeFault } from './schedule.ts';

// The behaviour of nodes and mirrors during the faults of a schedule. Those that lie try to make the relayer pay.

const STOLEN = parseEther('10000');
const NO_ID: Hex = `0x${'11'.repeat(32)}`;
const THIEF = USERS[2];

/** The behaviour of a node during a fault that begins now. */
export function toNodeFaults(fault: NodeFault, chain: SimulatedChain, side: Side): Partial<NodeFaults> {
  switch (fault) {
    case 'down':
      return { isDown: true };
    case 'silent':
      return { isSilent: true };
    case 'slow':
      return { delayMs: 3_000 };
    case 'lags':
      return { lagBlocks: 4 };
    case 'is stuck':
      return { stuckAt: chain.head };
    case 'forgets':
      return { keptStates: 1 };
    case 'answers twice':
      return { isTwice: true };
    case 'refuses broadcasts':
      return { broadcasts: 'refuses' };
    case 'swallows broadcasts':
      return { broadcasts: 'swallows' };
    case 'hides logs':
      return { hidesLogs: true };
    case 'other head':
      return { lie: otherHead(50) };
    case 'other balance':
      return { lie: otherBalance(BOOK.relayer, STOLEN) };
    case 'other returns':
      return { lie: otherReturn(getBridgeAddress(side), () => `0x${'7'.padStart(64, '0')}`) };
    case 'other receipts':
      return { lie: otherReceipts };
    case 'invented deposit':
      return { lie: inventedLog(inventedBeginning(side), chain.head) };
    case 'invented transfer':
      return { lie: inventedLog(inventedTransfer(side), chain.head) };
    case 'invented block':
      return { lie: inventedBlock(blockWithPayment(chain)) };
  }
}

/** The behaviour of mirrors during each fault. The lies concern payments to the relayer wallet. */
export const MIRROR_FAULTS: Readonly<Record<MirrorFault, Partial<MirrorFaults>>> = {
  down: { isAway: true },
  lags: { lagBlocks: 4 },
  hides: {
    lie: (actions) => actions.map((action) => (isToWallet(action) ? { ...action, to: THIEF.address } : action)),
  },
  invents: {
    lie: (actions) => {
      const [first] = actions;
      if (first === undefined) return actions;
      const [index, value] = [actions.length, STOLEN / 10n ** 10n];
      return [...actions, { ...first, index, call_depth: 1, from: THIEF.address, to: BOOK.relayer, value }];
    },
  },
  'names another payer': {
    lie: (actions) => actions.map((action) => (isToWallet(action) ? { ...action, from: THIEF.address } : action)),
  },
};

const getBridgeAddress = (side: Side): Address =>
  side === 'ethereum' ? BOOK.ethereum.bridgeLock : BOOK.partner.bridgeMint;
const isToWallet = ({ to }: { readonly to: Address | null }) => to === BOOK.relayer;

function inventedBeginning(side: Side): EmittedLog {
  const [address, thief] = [getBridgeAddress(side), THIEF.address];
  const args = { depositId: NO_ID, withdrawId: NO_ID, token: zeroAddress, sender: thief };
  if (side === 'ethereum')
    return {
      address,
      topics: encodeEventTopics({ abi: bridgeLockAbi, eventName: 'Deposit', args }) as Hex[],
      data: encodeAbiParameters(parseAbiParameters('address, uint256, uint256'), [thief, STOLEN, 999n]),
    };
  return {
    address,
    topics: encodeEventTopics({ abi: bridgeMintAbi, eventName: 'Withdraw', args }) as Hex[],
    data: encodeAbiParameters(parseAbiParameters('address, uint256, uint256, uint256'), [thief, STOLEN, 0n, 999n]),
  };
}

/** A transfer of a token to the wallet, which would be refunded. */
function inventedTransfer(side: Side): EmittedLog {
  const args = { from: THIEF.address, to: BOOK.relayer };
  return {
    address: getToken(BOOK, side, 'USDC'),
    topics: encodeEventTopics({ abi: bridgedTokenAbi, eventName: 'Transfer', args }) as Hex[],
    data: numberToHex(STOLEN, { size: 32 }),
  };
}

/** The newest block with a payment to the wallet instead of its own transactions. */
function blockWithPayment(chain: SimulatedChain) {
  const { chainId } = chain.input;
  const { raw } = THIEF.sign({
    chainId,
    nonce: 999,
    to: BOOK.relayer,
    value: STOLEN,
    input: '0x',
    gas: 21_000n,
    maxFeePerGas: chain.baseFeePerGas + chain.tip,
    maxPriorityFeePerGas: chain.tip,
  });
  return forgeBlock(chain.blockAt(chain.head.number - 1), readTransaction(raw), []);
}
