/** The states of an object in which a field may be null. */
export type State = 'pending' | 'call' | 'creation' | 'failed';

/** The forms of a value. */
const FORMS = {
  address: /^0x[0-9a-f]{40}$/,
  bloom: /^0x[0-9a-f]{512}$/,
  data: /^0x([0-9a-f]{2})*$/,
  hash: /^0x[0-9a-f]{64}$/,
  'nonce of a block': /^0x[0-9a-f]{16}$/,
  quantity: /^0x(0|[1-9a-f][0-9a-f]*)$/,
} as const;

interface RequiredField {
  readonly name: string;
  readonly form: keyof typeof FORMS | 'list' | 'boolean';
  /** The type that cannot be decoded without it. */
  readonly source: string;
  readonly mayBeNull: readonly State[];
}

const GETH = {
  header: 'go-ethereum core/types/gen_header_json.go: Header.UnmarshalJSON',
  block: 'go-ethereum ethclient/ethclient.go: rpcBlock',
  transaction: 'go-ethereum core/types/transaction_marshalling.go: Transaction.UnmarshalJSON',
  authorization: 'go-ethereum core/types/gen_authorization.go: SetCodeAuthorization.UnmarshalJSON',
  receipt: 'go-ethereum core/types/gen_receipt_json.go: Receipt.UnmarshalJSON',
  log: 'go-ethereum core/types/gen_log_json.go: Log.UnmarshalJSON',
  feeHistory: 'go-ethereum ethclient/ethclient.go: feeHistoryResultMarshaling',
} as const;
const ALLOY = {
  header: 'alloy crates/consensus/src/block/header.rs: Header',
  rpcHeader: 'alloy crates/rpc-types-eth/src/block.rs: Header',
  block: 'alloy crates/rpc-types-eth/src/block.rs: Block',
  transaction: 'alloy crates/rpc-types-eth/src/transaction/mod.rs: Transaction',
  receipt: 'alloy crates/rpc-types-eth/src/transaction/receipt.rs: TransactionReceipt',
  log: 'alloy crates/rpc-types-eth/src/log.rs: Log',
  feeHistory: 'alloy crates/rpc-types-eth/src/fee.rs: FeeHistory',
  syncing: 'alloy crates/rpc-types-eth/src/syncing.rs: SyncInfo',
} as const;

function list(
  source: string,
  form: RequiredField['form'],
  names: string,
  mayBeNull: readonly State[] = [],
): RequiredField[] {
  return names.split(' ').map((name) => ({ name, form, source, mayBeNull }));
}

const header = [
  ...list(GETH.header, 'hash', 'parentHash sha3Uncles stateRoot transactionsRoot receiptsRoot'),
  ...list(GETH.header, 'bloom', 'logsBloom'),
  ...list(GETH.header, 'quantity', 'difficulty number gasLimit gasUsed timestamp'),
  ...list(GETH.header, 'data', 'extraData'),
  ...list(ALLOY.header, 'address', 'miner'),
  ...list(ALLOY.header, 'hash', 'mixHash'),
  ...list(ALLOY.header, 'nonce of a block', 'nonce'),
  ...list(ALLOY.rpcHeader, 'hash', 'hash', ['pending']),
];
const transaction = [
  ...list(GETH.transaction, 'quantity', 'type nonce gas value v r s'),
  ...list(GETH.transaction, 'data', 'input'),
  ...list(GETH.transaction, 'hash', 'hash'),
  ...list(GETH.transaction, 'address', 'to', ['creation']),
  ...list(ALLOY.transaction, 'address', 'from'),
  ...list(ALLOY.transaction, 'quantity', 'gasPrice'),
  ...list(ALLOY.transaction, 'hash', 'blockHash', ['pending']),
  ...list(ALLOY.transaction, 'quantity', 'blockNumber transactionIndex', ['pending']),
];
const typed = [
  ...transaction,
  ...list(GETH.transaction, 'quantity', 'chainId yParity'),
  ...list(GETH.transaction, 'list', 'accessList'),
];
const dynamicFee = [...typed, ...list(GETH.transaction, 'quantity', 'maxFeePerGas maxPriorityFeePerGas')];

/** The fields without which typed clients cannot decode an object of the JSON-RPC. */
const REQUIRED_FIELDS = {
  header,
  block: [
    ...header,
    ...list(GETH.block, 'list', 'transactions uncles withdrawals'),
    ...list(ALLOY.block, 'quantity', 'size'),
  ],
  'transaction 0x0': transaction,
  'transaction 0x1': typed,
  'transaction 0x2': dynamicFee,
  'transaction 0x4': [...dynamicFee, ...list(GETH.transaction, 'list', 'authorizationList')],
  authorization: [
    ...list(GETH.authorization, 'quantity', 'chainId nonce yParity r s'),
    ...list(GETH.authorization, 'address', 'address'),
  ],
  receipt: [
    ...list(GETH.receipt, 'quantity', 'cumulativeGasUsed gasUsed'),
    ...list(GETH.receipt, 'bloom', 'logsBloom'),
    ...list(GETH.receipt, 'list', 'logs'),
    ...list(GETH.receipt, 'hash', 'transactionHash'),
    ...list(ALLOY.receipt, 'quantity', 'type status effectiveGasPrice blockNumber transactionIndex'),
    ...list(ALLOY.receipt, 'hash', 'blockHash'),
    ...list(ALLOY.receipt, 'address', 'from'),
    ...list(ALLOY.receipt, 'address', 'to', ['creation']),
    ...list(ALLOY.receipt, 'address', 'contractAddress', ['call', 'failed']),
  ],
  log: [
    ...list(GETH.log, 'address', 'address'),
    ...list(GETH.log, 'list', 'topics'),
    ...list(GETH.log, 'data', 'data'),
    ...list(GETH.log, 'hash', 'transactionHash'),
    ...list(ALLOY.log, 'quantity', 'blockNumber transactionIndex logIndex'),
    ...list(ALLOY.log, 'hash', 'blockHash'),
    ...list(ALLOY.log, 'boolean', 'removed'),
  ],
  feeHistory: [
    ...list(GETH.feeHistory, 'quantity', 'oldestBlock'),
    ...list(ALLOY.feeHistory, 'list', 'baseFeePerGas gasUsedRatio reward'),
  ],
  'sync state': list(ALLOY.syncing, 'quantity', 'startingBlock currentBlock highestBlock'),
} as const satisfies Record<string, readonly RequiredField[]>;

/** Lists the fields that a typed client would miss in an object, each with its source; empty if it can be decoded. */
export function findMissing(
  kind: keyof typeof REQUIRED_FIELDS,
  object: unknown,
  states: readonly State[] = [],
): string[] {
  const fields: readonly RequiredField[] = REQUIRED_FIELDS[kind];
  return fields.flatMap(({ name, form, source, mayBeNull }) => {
    const value = (object as Readonly<Record<string, unknown>> | null)?.[name];
    const isNullable = states.some((state) => mayBeNull.includes(state));
    if ((value === null && isNullable) || hasForm(value, form)) return [];
    return [`${name} of a ${kind} (${states.join(', ')}) is ${JSON.stringify(value)}, not ${form}: ${source}`];
  });
}

function hasForm(value: unknown, form: RequiredField['form']): boolean {
  if (form === 'list') return Array.isArray(value);
  if (form === 'boolean') return typeof value === 'boolean';
  return typeof value === 'string' && FORMS[form].test(value);
}
