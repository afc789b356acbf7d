import { BaseError, type Address, type Hex } from 'viem';
import type { DeployTarget } from '../deploy-target.js';
import { sendAndWait } from '../send-and-wait.js';

/**
 * The deterministic-deployment proxy (https://github.com/Arachnid/deterministic-deployment-proxy), at this address on
 * every chain that has it: it runs CREATE2 with a salt and creation code.
 */
export const DETERMINISTIC_PROXY: Address = '0x4e59b44847b379578588920ca78fbf26c0b4956c';

/** The one transaction that creates it, signed for no chain in particular by a key that nobody has. */
const TRANSACTION: Hex =
  '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222';
const SIGNER: Address = '0x3fab184622dc19b6109349b94811493bf2a45362';
/** 100,000 gas at the 100 gwei that the transaction offers. */
const COST_WEI = 10n ** 16n;

/**
 * Puts the deterministic-deployment proxy on a chain that lacks it.
 *
 * @returns whether it is there now: a chain may refuse transactions that are signed for no chain in particular.
 */
export async function ensureDeterministicProxy(target: DeployTarget): Promise<boolean> {
  const { client } = target;
  if (await client.getCode({ address: DETERMINISTIC_PROXY })) return true;
  const balance = await client.getBalance({ address: SIGNER });
  if (balance < COST_WEI) {
    await sendAndWait(target, 'Paying for the deterministic-deployment proxy', {
      to: SIGNER,
      value: COST_WEI - balance,
    });
  }
  const hash = await client
    .sendRawTransaction({ serializedTransaction: TRANSACTION })
    .catch((error: unknown) => refusedBy(error));
  if (hash === null) return false;
  const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 100 });
  return receipt.status === 'success';
}

/** Invalid input, transaction rejected, invalid parameters: what nodes say of a transaction that they will never take. */
const REFUSALS: ReadonlySet<unknown> = new Set([-32_000, -32_003, -32_602]);

/** A node that is busy, or does not answer, has decided nothing. */
function refusedBy(error: unknown): null {
  const refuses = (cause: unknown) => REFUSALS.has((cause as { code?: unknown } | null)?.code);
  if (error instanceof BaseError && error.walk(refuses)) return null;
  throw error;
}
