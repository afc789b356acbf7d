import { RpcError } from './errors.js';

/** Method names without their namespace, by namespace. */
const NAMES: Readonly<Record<string, string>> = {
  eth: `
    sign signTransaction sendTransaction submitTransaction signTypedData signTypedData_v3 signTypedData_v4 fillTransaction resend
    getBlockAccessList getStorageValues callMany callBundle sendBundle
    baseFee config capabilities protocolVersion getWork submitWork submitHashrate
    getCompilers compileLLL compileSolidity compileSerpent
    sendRawTransactionConditional pendingTransactions getHeaderByNumber getHeaderByHash
    getRawTransactionByHash getRawTransactionByBlockHashAndIndex getRawTransactionByBlockNumberAndIndex
    getTransactionBySenderAndNonce getAccount getAccountInfo`,
  rpc: 'modules',
  personal: `
    sign signTransaction signTypedData sendTransaction signAndSendTransaction ecRecover newAccount importRawKey listAccounts listWallets
    lockAccount unlockAccount openWallet initializeWallet deriveAccount unpair`,
  miner: `
    start stop setEtherbase setExtra setGasPrice setGasLimit setRecommitInterval getHashrate`,
  clique: 'getSnapshot getSnapshotAtHash getSigner getSigners getSignersAtHash propose proposals discard status',
  ethash: 'getWork getHashrate submitWork submitHashrate',
  admin: `
    addPeer removePeer addTrustedPeer removeTrustedPeer peers peerEvents nodeInfo datadir exportChain importChain newHead sleepBlocks
    startHTTP stopHTTP startRPC stopRPC startWS stopWS clearTxpool`,
  debug: `
    traceBlock traceBlockFromFile traceBadBlock traceCallMany traceChain
    standardTraceBlockToFile standardTraceBadBlockToFile intermediateRoots
    getRawBlockAccessList getBlockRlp getHeaderRlp printBlock getBadBlocks
    accountRange accountAt storageRangeAt getModifiedAccountsByHash getModifiedAccountsByNumber preimage dumpBlock seedHash
    getAccessibleState executionWitness executionWitnessByBlockHash dbGet dbAncient dbAncients chaindbProperty chaindbCompact
    setHead setTrieFlushInterval getTrieFlushInterval stateSize sync freezeClient testSignCliqueBlock
    verbosity vmodule backtraceAt stacks freeOSMemory setGCPercent setMemoryLimit memStats gcStats
    cpuProfile startCPUProfile stopCPUProfile goTrace startGoTrace stopGoTrace blockProfile setBlockProfileRate writeBlockProfile
    mutexProfile setMutexProfileFraction writeMutexProfile writeMemProfile`,
  trace: `
    block call callMany filter get rawTransaction replayBlockTransactions replayTransaction transaction transactionOpcodeGas
    blockOpcodeGas`,
  engine: `
    newPayloadV1 newPayloadV2 newPayloadV3 newPayloadV4 newPayloadV5 newPayloadV6
    forkchoiceUpdatedV1 forkchoiceUpdatedV2 forkchoiceUpdatedV3 forkchoiceUpdatedV4 forkchoiceUpdatedV5
    getPayloadV1 getPayloadV2 getPayloadV3 getPayloadV4 getPayloadV5 getPayloadV6
    getPayloadBodiesByHashV1 getPayloadBodiesByHashV2 getPayloadBodiesByRangeV1 getPayloadBodiesByRangeV2
    getBlobsV1 getBlobsV2 getBlobsV3 getBlobsV4 getInclusionListV1
    exchangeCapabilities exchangeTransitionConfigurationV1 getClientVersionV1`,
  testing: 'buildBlockV1',
  flashbots:
    'validateBuilderSubmissionV1 validateBuilderSubmissionV2 validateBuilderSubmissionV3 validateBuilderSubmissionV4',
  erigon: `
    forks blockNumber getHeaderByNumber getHeaderByHash getBlockByTimestamp getBalanceChangesInBlock getBlockReceiptsByBlockHash
    getLatestLogs getLogs getLogsByHash getSnapshot nodeInfo cacheCheck watchTheBurn`,
  ots: `
    getApiLevel getBlockDetails getBlockDetailsByHash getBlockTransactions getContractCreator getInternalOperations
    getTransactionBySenderAndNonce getTransactionError hasCode searchTransactionsAfter searchTransactionsBefore traceTransaction`,
  parity: `
    accountsInfo addReservedPeer allAccountsInfo allTransactionHashes allTransactions call cancelTransaction chain chainId chainStatus
    composeTransaction consensusCapability dappsUrl decryptMessage defaultAccount defaultExtraData devLogs devLogsLevels enode
    encryptMessage extraData futureTransactions gasCeilTarget gasFloorTarget gasPriceHistogram generateSecretPhrase
    getBlockHeaderByNumber getBlockReceipts hardwareAccountsInfo listAccounts listStorageKeys localTransactions lockedHardwareAccountsInfo
    minGasPrice mode netChain netPeers netPort newAccountFromPhrase newAccountFromSecret newAccountFromWallet nextNonce
    nodeKind nodeName pendingTransactions pendingTransactionsStats phraseToAddress postSign postTransaction registryAddress releasesInfo
    removeReservedPeer removeTransaction rpcSettings setAccountMeta setAccountName setAuthor setChain setEngineSigner setExtraData
    setGasCeilTarget setGasFloorTarget setMaxTransactionGas setMinGasPrice setMode setTransactionsLimit signMessage submitRawBlock
    submitWorkDetail subscribe testPassword transactionsLimit unsignedTransactionsCount unsubscribe upgradeReady verifySignature
    versionInfo wsUrl`,
  les: `
    addBalance clientInfo getCheckpoint getCheckpointContractAddress latestCheckpoint priorityClientInfo serverInfo setClientParams
    setDefaultParams`,
  shh: `
    version post newIdentity hasIdentity newGroup addToGroup newFilter uninstallFilter getFilterChanges getMessages
    info addPrivateKey addSymKey deleteKeyPair deleteMessageFilter deleteSymKey generateSymKeyFromPassword getFilterMessages getPrivateKey
    getPublicKey getSymKey hasKeyPair hasSymKey makeLightClient markTrustedPeer newKeyPair newMessageFilter newSymKey setMaxMessageSize
    setMinPoW subscribe unsubscribe`,
  db: 'putString getString putHex getHex',
};

/** Methods of Ethereum nodes (Execution APIs, geth, Erigon, OpenEthereum) that the gateway does not support. */
const UNSUPPORTED: ReadonlySet<string> = new Set(
  Object.entries(NAMES).flatMap(([namespace, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => `${namespace}_${name}`),
  ),
);

/** Maximum length of a method name repeated to the caller. */
const MAX_NAME = 64;

/** Returns the error for an unsupported method: -32004 if Ethereum has it, else -32601 (spec "Errors"). */
export function missingMethodError(name: string): RpcError {
  const shown = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  // geth's message, by which ethers recognizes an UNSUPPORTED_OPERATION.
  const problem = `the method ${shown} does not exist/is not available`;
  return new RpcError(UNSUPPORTED.has(name) ? 'METHOD_NOT_SUPPORTED' : 'METHOD_NOT_FOUND', problem);
}
