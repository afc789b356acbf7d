import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPublicClient, createWalletClient, formatEther, http, parseAbi, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { anvil } from 'viem/chains';

const stack = JSON.parse(readFileSync(process.argv[2] ?? '.causeway/stack.json', 'utf8'));
const account = privateKeyToAccount(process.env.PRIVATE_KEY ?? stack.accounts.alice.privateKey);
const ethereum = createWalletClient({ account, chain: anvil, transport: http(stack.ethereum.rpcUrl) });
const partner = createPublicClient({ transport: http(stack.partner.rpcUrl) });
const bridgedEth = () =>
  partner.readContract({
    address: stack.addressBook.partner.tokens.ETH,
    abi: parseAbi(['function balanceOf(address owner) view returns (uint256)']),
    functionName: 'balanceOf',
    args: [account.address],
  });

const before = await bridgedEth();
const hash = await ethereum.writeContract({
  address: stack.addressBook.ethereum.bridgeLock,
  abi: parseAbi(['function depositNative(address recipient) payable']),
  functionName: 'depositNative',
  args: [account.address],
  value: parseEther('0.5'),
});
console.log(`Sent ${hash}`);
for (let status = ''; status !== 'COMPLETED'; await sleep(1_000)) {
  const operation = await (await fetch(`${stack.apiUrl}/bridge/status?originTxHash=${hash}`)).json();
  if (operation.status !== undefined && operation.status !== status) console.log(operation.status);
  status = operation.status ?? status;
}
console.log(`Arrived: ${formatEther((await bridgedEth()) - before)} ETH`);
