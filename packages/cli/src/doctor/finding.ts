/** Something that doctor has looked at. */
export interface DoctorFinding {
  readonly level: 'ok' | 'warning' | 'failure';
  readonly check: 'api' | 'clock' | 'nodes' | 'contracts' | 'pauses' | 'limits' | 'balances';
  readonly finding: string;
  /** Null where nothing is to be done. */
  readonly nextStep: string | null;
}

type Check = DoctorFinding['check'];

/** A check that has passed. */
export function ok(check: Check, finding: string): DoctorFinding {
  return { level: 'ok', check, finding, nextStep: null };
}

/** Something that works now and may not later, or that delays transfers. */
export function warning(check: Check, finding: string, nextStep: string): DoctorFinding {
  return { level: 'warning', check, finding, nextStep };
}

/** Something that no transfer should begin with. */
export function failure(check: Check, finding: string, nextStep: string): DoctorFinding {
  return { level: 'failure', check, finding, nextStep };
}

/**
 * Runs a check whose reads may fail.
 *
 * @param nextStep of a read that failed.
 */
export async function runCheck(
  check: Check,
  subject: string,
  nextStep: string,
  look: () => Promise<readonly DoctorFinding[]>,
): Promise<readonly DoctorFinding[]> {
  try {
    return await look();
  } catch (error) {
    // viem's other messages quote the address of the node, which may hold a key.
    const { shortMessage, message } = error as { readonly shortMessage?: string; readonly message: string };
    return [failure(check, `${subject}: ${shortMessage ?? message}`, nextStep)];
  }
}
