export { bridgeLockAbi, bridgeMintAbi, bridgedTokenAbi, testUsdcAbi, testXcnAbi } from '@causeway/contracts/abi';
