import { openSigner } from '@causeway/chain/signers';
import { bridgeLockAbi, sentinelAbi } from '@causeway/contracts/abi';
import { exchangeRequestTypedData } from '@causeway/protocol/attest';
import { error, ok, runCheck, warning } from '@causeway/service/doctor';
import type { Side, Verifier } from '@causeway/verifier';
import { decodeFunctionResult, encodeFunctionData, parseAbi, type Abi, type Address } from 'viem';
import type { Configuration } from '../../configuration/configuration.js';
import { SIDES } from '../../nodes.js';
import { findSetProblem, readAttesterSet, readHead, readView, type Head } from '../../signing/chain-state.js';
import type { Finding } from './finding.js';

const ROLES = ['relayer', 'standby', 'guardian', 'policyManager', 'owner'] as const;
const OFFICES = ['owner', 'guardian', 'recovery'] as const;
const TIMELOCK = parseAbi(OFFICES.map((office) => `function ${office}() view returns (address)` as const));

/** Checks that the key signs, is in both sets, and holds no role of the contracts. */
export async function checkKey(verifier: Verifier, configuration: Configuration): Promise<readonly Finding[]> {
  const { address } = configuration;
  const found = await Promise.all([
    checkSigner(configuration),
    ...SIDES.map((side) =>
      runCheck<Finding['check']>('set', `the contract on ${side} cannot be read`, 'repair its nodes', async () => {
        const head = await readHead(verifier, side);
        return [await checkSet(verifier, side, head, address), await checkOffices(verifier, side, head, configuration)];
      }),
    ),
  ]);
  return found.flat();
}

async function checkSigner({ signer, address }: Configuration): Promise<readonly Finding[]> {
  const warnings: Finding[] = [];
  const next = 'repair the signer, or correct its variables';
  const signs = await runCheck('key', 'it does not sign', next, async () => {
    const opened = await openSigner(signer, address, (sentence) =>
      warnings.push(warning('key', sentence, 'repair the signer')),
    );
    // The signature is worthless: no exchange has this path.
    await opened.signTypedData(exchangeRequestTypedData('/doctor', 0, ''));
    return [ok('key', `${address} signs (${signer.kind})`)];
  });
  return [...warnings, ...signs];
}

async function checkSet(verifier: Verifier, side: Side, head: Head, address: Address): Promise<Finding> {
  const set = await readAttesterSet(verifier, side, head);
  const problem = findSetProblem(set, address);
  const { number, members, threshold } = set;
  return problem === null
    ? ok('set', `${side}: set ${number}, ${threshold} of ${members.length} must sign`)
    : error('set', `${side}, set ${number}: ${problem}`, 'let the admin set it (causeway-admin set-attesters)');
}

/** A thief of a key with another role gets both. */
async function checkOffices(
  verifier: Verifier,
  side: Side,
  head: Head,
  { address, addressBook, verifier: { operators } }: Configuration,
): Promise<Finding> {
  const ask = async (to: Address, abi: Abi, functionName: string, args: readonly unknown[] = []) => {
    const data = encodeFunctionData({ abi, functionName, args });
    const answer = await verifier.readers[side].call(head.hash, to, data);
    // An admin other than the timelock has none of these views.
    return answer === 'REVERTED' || answer === '0x' ? null : decodeFunctionResult({ abi, functionName, data: answer });
  };
  const sentinel = addressBook[side].sentinel;
  const timelock = String(await ask(sentinel, sentinelAbi, 'timelock')) as Address;
  const held: string[] = [];
  const compare = (role: string, account: unknown) => {
    if (String(account).toLowerCase() === address) held.push(role);
  };
  for (const role of ROLES) compare(role, await readView(verifier, side, head, role));
  for (const office of OFFICES) compare(`${office} of the timelock`, await ask(timelock, TIMELOCK, office));
  if (side === 'ethereum') compare('treasury', await ask(addressBook.ethereum.bridgeLock, bridgeLockAbi, 'treasury'));
  if ((await ask(sentinel, sentinelAbi, 'isPauser', [address])) === true) held.push('pauser');
  if (operators.addresses.includes(address)) held.push('operator of refunds');
  return held.length === 0
    ? ok('key', `${side}: the key holds no office`)
    : error('key', `${side}: the key is ${held.join(' and ')} as well`, 'give the attester a separate key');
}
