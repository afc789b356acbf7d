export { findIcon, type Wallet, type WalletProvider } from './provider.js';
export { connect, readChainId, signText, signTypedData, WalletError } from './signing.js';
export { StallHint } from './stall-hint.js';
export { followTransaction, sendTransaction, type Progress } from './transactions.js';
export { rememberWallet, useChosenWallet, useWallets, WalletChoice, WalletPicture } from './wallets.js';
