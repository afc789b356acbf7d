import type { ConfigResponse, Side } from '@causeway/protocol';
import { balanceOfAbi } from '@causeway/protocol/abi';
import { ok, runCheck, warning } from '@causeway/service/doctor';
import { formatEther, formatUnits, zeroAddress, type Address, type Client } from 'viem';
import { getBalance, readContract } from 'viem/actions';
import { CHAIN_NAMES } from '../output/words.js';
import type { DoctorFinding } from './finding.js';

/** Checks the balances of an account on a chain, and whether it can pay for gas there. */
export async function checkAccount(
  side: Side,
  client: Client,
  config: ConfigResponse,
  account: Address,
): Promise<readonly DoctorFinding[]> {
  return runCheck('balances', `balances on ${CHAIN_NAMES[side]}`, 'Try again, or use another node.', async () => {
    const { tokens } = config[side];
    const coin = tokens.find(({ address }) => address === zeroAddress)?.token ?? 'coin';
    const [balance, ...others] = await Promise.all([
      getBalance(client, { address: account }),
      ...tokens
        .filter(({ address }) => address !== zeroAddress)
        .map(async ({ token, address, decimals }) => {
          const args = [account] as const;
          const units = await readContract(client, { address, abi: balanceOfAbi, functionName: 'balanceOf', args });
          return `${formatUnits(units, decimals)} ${token}`;
        }),
    ]);
    const words = `${account} has ${[`${formatEther(balance)} ${coin}`, ...others].join(', ')} on ${CHAIN_NAMES[side]}`;
    if (balance > 0n) return [ok('balances', words)];
    return [warning('balances', words, `Send ${coin} to the account: it cannot pay for gas.`)];
  });
}
