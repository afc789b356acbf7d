import type {
  AdminOperationResponse,
  AdminOperationRow,
  AdminRefundResponse,
  ContractCallsResponse,
  ContractsResponse,
  OverviewResponse,
} from '@causeway/protocol/admin';

// Answers of the admin API. The test server checks each against its schema before serving it.

/** A 32-byte hash that repeats two digits. */
export const hash = (digits: string): `0x${string}` => `0x${digits.repeat(32)}`;
/** An address that repeats two digits. */
export const account = (digits: string): `0x${string}` => `0x${digits.repeat(20)}`;
/** Returns the time some seconds ago. */
export const ago = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString();

/** Text that a hostile user or chain could send. */
export const HOSTILE = '<img src=x onerror="document.title=1"><script>alert(1)</script>';

/** Amount of the refund in atomic units: 6,000 XCN. */
export const AMOUNT = '6000000000000000000000';

const STATUSES = ['CONFIRMING', 'COMPLETED', 'DELAYED', 'AWAITING_RELAY', 'FAILED', 'PROCESSING_DESTINATION'] as const;

/** A row of the list of operations. */
export function operationRow(index: number): AdminOperationRow {
  const status = STATUSES[index % STATUSES.length]!;
  return {
    id: `0x${(index + 1).toString(16).padStart(64, 'a')}`,
    kind: index % 3 === 0 ? 'DEPOSIT' : 'BURN',
    asset: (['ETH', 'USDC', 'XCN'] as const)[index % 3]!,
    direction: index % 2 === 0 ? 'ETHEREUM_TO_PARTNER' : 'PARTNER_TO_ETHEREUM',
    status,
    delayedReason: status === 'DELAYED' ? 'FLOAT_SHORT' : null,
    failureReason: status === 'FAILED' ? 'TRANSFER_UNMATCHED' : null,
    amount: '1234500000000000000',
    amountFormatted: '1.2345',
    fee: '0',
    outputAmount: '1234500000000000000',
    outputAmountFormatted: '1.2345',
    sender: account('a1'),
    recipient: account('b2'),
    originTxHash: hash('c3'),
    destinationTxHash: status === 'COMPLETED' ? hash('d4') : null,
    originConfirmations: 5,
    requiredConfirmations: 12,
    createdAt: ago(60 + index * 30),
    updatedAt: ago(30),
  };
}

/** One operation that waits for its float, with a replaced transaction in its journal. */
export function operation(id: string): AdminOperationResponse {
  return {
    operation: {
      id: id as `0x${string}`,
      asset: 'XCN',
      direction: 'ETHEREUM_TO_PARTNER',
      status: 'DELAYED',
      amount: '1234500000000000000',
      amountFormatted: '1.2345',
      fee: { amount: '0', formatted: '0', bps: 0 },
      outputAmount: '1234500000000000000',
      outputAmountFormatted: '1.2345',
      originChainId: 31_337,
      destinationChainId: 8_901,
      originTxHash: hash('c3'),
      destinationTxHash: null,
      depositId: hash('aa'),
      withdrawId: null,
      intentId: null,
      sender: account('a1'),
      recipient: account('b2'),
      originConfirmations: 12,
      requiredConfirmations: 12,
      estimatedCompletionTime: null,
      quotedCompletionTime: ago(-60),
      relayerWalletAddress: null,
      unpayableReason: null,
      stalledReason: null,
      holdUntil: null,
      settlement: null,
      delayedReason: 'FLOAT_SHORT',
      delayedSince: ago(300),
      failureReason: null,
      failureMessage: null,
      refundId: null,
      otherOperationIds: [hash('ab')],
      createdAt: ago(900),
      updatedAt: ago(60),
    },
    kind: 'DEPOSIT',
    deliveredAmount: null,
    timeline: [
      { at: ago(900), event: 'CREATED', actor: 'sender', cause: HOSTILE, chain: 'ethereum', txHash: hash('c3') },
      { at: ago(700), event: 'FINAL', actor: 'chain', cause: '12 confirmations', chain: 'ethereum', txHash: null },
      { at: ago(650), event: 'SIGNED', actor: 'relayer', cause: null, chain: 'partner', txHash: hash('d5') },
      { at: ago(300), event: 'DELAYED', actor: 'relayer', cause: 'FLOAT_SHORT', chain: 'partner', txHash: null },
      { at: ago(200), event: 'REQUEST_DONE', actor: account('e5'), cause: 'retry', chain: null, txHash: null },
    ],
    calls: [
      {
        id: '7',
        chainId: 8_901,
        sender: account('f6'),
        nonce: '41',
        purpose: 'DELIVERY',
        state: 'CANCELLED',
        createdAt: ago(650),
        cancelledAt: ago(320),
        endedAt: ago(300),
        feePaid: '21000000000000',
        attempts: [
          {
            txHash: hash('d5'),
            signedAt: ago(650),
            gas: '120000',
            maxFeePerGas: '2000000000',
            maxPriorityFeePerGas: '1000000000',
            isCancellation: false,
            isFinal: false,
          },
          {
            txHash: hash('d6'),
            signedAt: ago(320),
            gas: '21000',
            maxFeePerGas: '4000000000',
            maxPriorityFeePerGas: '2000000000',
            isCancellation: true,
            isFinal: true,
          },
        ],
      },
    ],
    waiting: {
      reason: 'FLOAT_SHORT',
      sentence: 'The wallet and the float together do not cover the amount. Refill the float, then retry.',
      until: ago(-240),
    },
    allowed: ['RETRY', 'CANCEL'],
    retryEffect: 'It waits as FLOAT_SHORT: it is delivered only once that cause is gone, and else it waits again.',
    docs: 'docs/errors.md#float_short',
    attesters: [],
  };
}

/** The bridge at a glance. */
export function overview(): OverviewResponse {
  return {
    at: ago(1),
    assets: [
      {
        asset: 'ETH',
        locked: '12000000000000000000',
        supply: '11500000000000000000',
        surplus: '500000000000000000',
        inFlight: '100000000000000000',
        float: null,
        floatDaysLeft: null,
        delivered24h: '2500000000000000000',
        fees24h: '6250000000000000',
      },
      {
        asset: 'USDC',
        locked: '5000000000',
        supply: '5000000001',
        surplus: '-1',
        inFlight: '0',
        float: null,
        floatDaysLeft: null,
        delivered24h: '2500000',
        fees24h: '6250',
      },
      {
        asset: 'XCN',
        locked: null,
        supply: null,
        surplus: null,
        inFlight: '42000000000000000000',
        float: '900000000000000000000',
        floatDaysLeft: 1.6,
        delivered24h: '42000000000000000000',
        fees24h: '0',
      },
    ],
    chains: [
      {
        side: 'ethereum',
        chainId: 31_337,
        head: 18_200,
        nextBlock: 18_199,
        lagBlocks: 2,
        readAt: ago(3),
        halt: { since: ago(90), reason: 'the hash of block 18190 changed' },
      },
      { side: 'partner', chainId: 8_901, head: null, nextBlock: 77, lagBlocks: null, readAt: null, halt: null },
    ],
    deliveriesHalt: null,
    lease: { holder: 'relayer-1', token: '12', expiresAt: ago(-20), isHeld: true },
    open: {
      total: 9,
      byStatus: [
        { status: 'CONFIRMING', count: 4 },
        { status: 'DELAYED', count: 5 },
      ],
      byDelay: [{ reason: 'FLOAT_SHORT', count: 5, oldestSince: ago(4_000) }],
      oldest: { id: hash('ab'), status: 'DELAYED', since: ago(4_000) },
    },
    refundsWaiting: 1,
    requestsWaiting: 1,
  };
}

/** A refund that needs a decision of operators. */
export function refund(id: string = hash('e1')): AdminRefundResponse {
  return {
    id: id as `0x${string}`,
    operationId: hash('ab'),
    chainId: 8_901,
    asset: 'XCN',
    status: 'REQUESTED',
    failureReason: 'TRANSFER_UNMATCHED',
    payer: account('a1'),
    wallet: account('f6'),
    amount: AMOUNT,
    amountFormatted: '6000',
    recipient: null,
    paidAmount: null,
    gasFee: null,
    txHash: null,
    createdAt: ago(5_000),
    settledAt: null,
    decisions: [{ operator: account('e5'), kind: 'APPROVE', recipient: account('a1'), at: ago(100) }],
    maybePaidBy: [hash('d9')],
    attesters: [],
  };
}

/** The answers of four attesters, one of each kind. */
export function attesters(): AdminRefundResponse['attesters'] {
  return [
    { address: account('a7'), verdict: 'SIGN', reason: null, sentence: null, at: ago(70) },
    { address: account('b7'), verdict: 'REFUSE', reason: 'WRONG_AMOUNT', sentence: HOSTILE, at: ago(60) },
    { address: account('c7'), verdict: 'NOT_YET', reason: null, sentence: 'Its origin is not final.', at: ago(50) },
    { address: account('d7'), verdict: null, reason: null, sentence: null, at: null },
  ];
}

/** The answer that describes the contracts. */
export function contracts(): ContractsResponse {
  return {
    blocks: [
      { side: 'ethereum', number: 18_200, at: ago(12), eventsThrough: 18_188 },
      { side: 'partner', number: 99_000, at: ago(2), eventsThrough: null },
    ],
    pauses: [
      {
        side: 'ethereum',
        direction: 'ETHEREUM_TO_PARTNER',
        isPaused: false,
        what: 'beginnings',
        until: null,
        count: '0',
      },
      {
        side: 'ethereum',
        direction: 'PARTNER_TO_ETHEREUM',
        isPaused: true,
        what: 'deliveries',
        until: ago(-900),
        count: '3',
      },
    ],
    assets: [
      {
        side: 'partner',
        asset: 'XCN',
        mayBegin: true,
        mayBeDelivered: false,
        feeBps: 25,
        minimumFee: '1000000000000000000',
        minimumAmount: '10000000000000000000',
        maximumAmount: null,
        outflowCapacity: '90000000000000000000000',
        outflowRoom: '45000000000000000000000',
        collectableFees: '7000000000000000000',
      },
    ],
    roles: [{ side: 'ethereum', role: 'guardian', address: account('9a') }],
    announced: [
      {
        side: 'partner',
        id: hash('b7'),
        contract: 'BridgeMint',
        functionName: 'setFee',
        arguments: [{ name: 'bps', value: '30' }],
        target: account('0b'),
        value: '0',
        data: '0x1234',
        predecessor: hash('00'),
        salt: hash('00'),
        readyAt: ago(-3_600),
        isReady: false,
        txHash: hash('b8'),
        execute: {
          side: 'partner',
          chainId: 8_901,
          step: 'execute',
          contract: 'BridgeMint',
          functionName: 'setFee',
          arguments: [{ name: 'bps', value: '30' }],
          to: account('0c'),
          data: '0x5678',
          value: '0',
          readyAt: ago(-3_600),
          callHash: hash('ba'),
          blockNumber: 99_000,
          changes: [],
          isSimulated: false,
          maySend: false,
          problem: 'Its delay has not ended, or its predecessor has not been executed.',
        },
      },
    ],
    history: [
      {
        side: 'partner',
        at: ago(86_400),
        blockNumber: 12_000,
        event: 'FeeChanged',
        arguments: [{ name: 'bps', value: HOSTILE }],
        txHash: hash('b9'),
      },
    ],
  };
}

/** Two calls: one without options, one with a choice. */
export function contractCalls(): ContractCallsResponse {
  return {
    calls: [
      {
        command: 'pause',
        description: 'Pause a direction of a chain.',
        role: 'guardian',
        options: [
          { name: 'side', description: 'Where.', isRequired: true, choices: ['ethereum', 'partner'], fallback: null },
          { name: 'direction', description: 'What.', isRequired: true, choices: ['in', 'out'], fallback: null },
        ],
      },
      {
        command: 'set-fee',
        description: 'Change the fee of an asset.',
        role: 'owner',
        options: [
          {
            name: 'asset',
            description: 'Which asset.',
            isRequired: true,
            choices: ['ETH', 'USDC', 'XCN'],
            fallback: null,
          },
          { name: 'bps', description: 'In hundredths of a percent.', isRequired: true, choices: null, fallback: null },
        ],
      },
    ],
  };
}
