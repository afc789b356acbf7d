export { OTHER_SERVICES, ScrapeRecorder, wrongAlerts, type AlertScenario, type Scrape } from './alert-rules.js';
export { startAnvil, testAccount, testKey, type Anvil, type AnvilOptions } from './anvil.js';
export { aHash, anAddress, anAddressBook, ETHEREUM, PARTNER } from './builders.js';
export { SERVER_CERTIFICATE, STRANGER_CERTIFICATE, TEST_AUTHORITY, type TestCertificate } from './certificates.js';
export { openPage, startChromium, type WatchedPage } from './browser/chromium.js';
export {
  makeAddress,
  makeTarget,
  mined,
  ROLE_ACCOUNTS,
  startChains,
  type TestChains,
  type TestTarget,
} from './development-chains.js';
export { AnswerChecker, checkFetchedAnswers } from './described-answers.js';
export { findChunk, FirstView } from './browser/first-view.js';
export { startGateway, type GatewayOptions, type GatewayProcess } from './gateway.js';
export {
  injectWallet,
  type AskedCall,
  type InjectedWallet,
  type OpenWindow,
  type WalletChains,
  type WalletKind,
  type WalletMood,
} from './browser/injected-wallets.js';
export {
  startMailServer,
  startSilentServer,
  startWebhook,
  type ReceivedMail,
  type Receiver,
} from './servers/notification-receivers.js';
export type { PostgresReady } from './postgres-process.js';
export { countRows, loginUrl, startPostgres, temporaryDatabase, type PostgresServer } from './postgres.js';
export { makeWrongSecrets, runProgram, shiftClock, type EndedProgram } from './programs.js';
export { startSpanCollector, type CollectedSpan, type SpanCollector } from './servers/span-collector.js';
export { startRedis, type RedisServer } from './servers/redis-server.js';
export { RpcRefusal, startRpcProxy, type RpcHooks, type RpcProxy } from './servers/rpc-proxy.js';
export {
  encryptKeystore,
  REMOTE_SIGNER_CLIENT,
  startKms,
  startRemoteSigner,
  type SigningServer,
} from './servers/signing-servers.js';
export { SmartAccounts, type OwnedAccount } from './smart-accounts.js';
export { startTcpProxy, type TcpProxy } from './servers/tcp-proxy.js';
export { isLong, seed, waitUntil } from './test-run.js';
export { readExampleAnswers } from './workspace.js';
export { installCast, requireTools } from './tools.js';
