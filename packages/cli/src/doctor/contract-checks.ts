import { bridgeLockCode, bridgeMintCode, matchesCode } from '@causeway/contracts/deployed-code';
import type { AddressBook, ConfigResponse, Side } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { error, ok, runCheck, warning } from '@causeway/service/doctor';
import { isAddressEqual, type Address, type Client } from 'viem';
import { getCode, readContract } from 'viem/actions';
import type { DoctorFinding } from './finding.js';

const ASK_OPERATORS = 'Do not send. Ask the operators of the bridge.';

interface CheckedContract {
  readonly name: string;
  readonly side: Side;
  readonly address: Address;
  readonly client: Client;
  readonly config: ConfigResponse;
  /** Undefined without `--address-book`. */
  readonly book: AddressBook | undefined;
}

/**
 * Checks the bridge's contract on a chain: its code, peer, relayer, guardian, tokens and pauses.
 */
export async function checkContract(
  side: Side,
  client: Client,
  config: ConfigResponse,
  book: AddressBook | undefined,
): Promise<readonly DoctorFinding[]> {
  const name = side === 'ethereum' ? 'BridgeLock' : 'BridgeMint';
  const address = side === 'ethereum' ? config.ethereum.bridgeLock : config.partner.bridgeMint;
  const contract = { name, side, address, client, config, book };
  return runCheck('contracts', name, 'Try again, or use another node.', async () => {
    const code = await getCode(client, { address });
    if (code === undefined) return [error('contracts', `${name}: no contract at ${address}`, ASK_OPERATORS)];
    const [roles, tokens, pauses] = await Promise.all([
      checkRoles(contract),
      checkTokens(contract),
      checkPauses(contract),
    ]);
    return [checkCode(contract, code), ...roles, ...tokens, ...pauses];
  });
}

function checkCode({ name, side, address }: CheckedContract, code: `0x${string}`): DoctorFinding {
  if (matchesCode(code, side === 'ethereum' ? bridgeLockCode : bridgeMintCode))
    return ok('contracts', `${name} ${address} has the code of this version`);
  return warning('contracts', `${name} ${address} has code that this version does not know`, 'Update this program.');
}

/** BridgeMint has the same functions. */
async function readAccount(
  { client, address }: CheckedContract,
  functionName: 'peer' | 'relayer' | 'guardian',
): Promise<Address> {
  return readContract(client, { address, abi: bridgeLockAbi, functionName });
}

async function checkRoles(contract: CheckedContract): Promise<readonly DoctorFinding[]> {
  const { name, side, config, book } = contract;
  const [peer, relayer, guardian] = await Promise.all([
    readAccount(contract, 'peer'),
    readAccount(contract, 'relayer'),
    readAccount(contract, 'guardian'),
  ]);
  const other = side === 'ethereum' ? config.partner.bridgeMint : config.ethereum.bridgeLock;
  const named = config.relayerWalletAddress;
  const expected: readonly (readonly [role: string, found: Address, meant: Address | undefined, by: string])[] = [
    ['peer', peer, other, 'the API'],
    ['relayer', relayer, named ?? undefined, 'the API'],
    ['relayer', relayer, book?.relayer, 'the address book'],
    ['guardian', guardian, book?.[side].sentinel, 'the address book'],
  ];
  const wrong = expected.flatMap(([role, found, meant, by]) =>
    meant === undefined || isAddressEqual(found, meant)
      ? []
      : [error('contracts', `${name}: its ${role} is ${found}, but ${by} names ${meant}`, ASK_OPERATORS)],
  );
  const unnamed =
    named === null
      ? [warning('contracts', 'the API currently names no relayer wallet', 'Do not pay an intent until it does.')]
      : [];
  const roles = book === undefined ? 'peer and relayer' : 'peer, relayer and guardian';
  return [...unnamed, ...(wrong.length > 0 ? wrong : [ok('contracts', `${name}: ${roles} match`)])];
}

async function checkTokens(contract: CheckedContract): Promise<readonly DoctorFinding[]> {
  const { name, side, address, client, config } = contract;
  const settings = await Promise.all(
    config[side].tokens.map(async ({ token, address: asset }) => {
      const [mayBegin, mayDeliver] = await readContract(client, {
        address,
        abi: bridgeLockAbi,
        functionName: 'tokenSettings',
        args: [asset],
      });
      return { token, mayBegin, mayDeliver };
    }),
  );
  const closed = settings.filter(({ mayBegin, mayDeliver }) => !mayBegin || !mayDeliver);
  if (closed.length === 0)
    return [ok('contracts', `${name}: ${settings.map(({ token }) => token).join(', ')} are listed`)];
  return closed.map(({ token, mayDeliver }) =>
    warning(
      'contracts',
      `${name}: ${token} ${mayDeliver ? 'cannot begin transfers' : 'is not delivered'}`,
      'Use another asset.',
    ),
  );
}

async function checkPauses({ name, address, client }: CheckedContract): Promise<readonly DoctorFinding[]> {
  const [until, deliveriesPaused] = await readContract(client, { address, abi: bridgeLockAbi, functionName: 'pauses' });
  const isPaused = Number(until) > Date.now() / 1_000;
  const problems = [
    ...(isPaused ? ['transfers cannot begin'] : []),
    ...(deliveriesPaused ? ['transfers are not delivered'] : []),
  ].map((words) => warning('pauses', `${name} is paused: ${words}`, 'Try again later.'));
  return problems.length > 0 ? problems : [ok('pauses', `${name} is not paused`)];
}
