import { network } from 'hardhat';
import { testUsdcAbi } from '@causeway/contracts/abi';
import { testUsdcBytecode } from '@causeway/contracts/bytecode';

// Uses a chain like the scripts of Hardhat projects, and prints the results as one line of JSON.
const { ethers, provider } = await network.connect();
const [signer] = await ethers.getSigners();
if (signer === undefined) throw new Error('Hardhat has no account');
const recipient = process.env['RECIPIENT'] ?? '';

const payment = await (await signer.sendTransaction({ to: recipient, value: ethers.parseEther('0.03125') })).wait();
const estimate = await ethers.provider.estimateGas({
  from: signer.address,
  to: recipient,
  value: ethers.parseEther('0.1'),
});
const token = await new ethers.ContractFactory(testUsdcAbi, testUsdcBytecode, signer).deploy();
await token.waitForDeployment();
await (await token.getFunction('mint').send(signer.address, 1_000)).wait();
const transfer = await (await token.getFunction('transfer').send(recipient, 500)).wait();
const balance: unknown = await token.getFunction('balanceOf')(recipient);
const events = await token.queryFilter(token.getEvent('Transfer')(null, recipient), 0);
let refusal = '';
try {
  await token.getFunction('transfer').send(recipient, 1_000_000);
} catch (error) {
  refusal = JSON.stringify(error, Object.getOwnPropertyNames(error));
}
const result = {
  chainId: await provider.request({ method: 'eth_chainId' }),
  paid: payment?.status,
  recipientOwns: ethers.formatEther(await ethers.provider.getBalance(recipient)),
  estimate: Number(estimate),
  transferred: transfer?.status,
  tokenBalance: String(balance),
  events: events.length,
  refusal,
};
process.stdout.write(`RESULT ${JSON.stringify(result)}\n`);
