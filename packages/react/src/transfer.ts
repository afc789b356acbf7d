import { getTransferState, isBegun, type TransferState, type Wallet } from '@causeway/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useCauseway } from './provider.js';
import { IDLE, Transfers, type Run, type RunOptions, type RunState, type TransferToBegin } from './transfers.js';

/**
 * - `idle`: nothing began.
 * - `running`: see `progress`.
 * - `sent`: its transaction is mined. Follow `outcome` with `useStatus`.
 * - `planned`, `refused`: no funds have moved, and nothing is sent without a click.
 * - `undecided`: the wallet may still send it. The user checks the wallet and decides.
 * - `failed`: see `error`.
 * - `interrupted`: begun, and the wallet of its account is not connected.
 */
export type TransferStatus =
  'idle' | 'running' | 'sent' | 'planned' | 'refused' | 'undecided' | 'failed' | 'interrupted';

/** Actions of a user on a transfer. */
export interface TransferActions {
  /** Continues it. Nothing is sent that may have been sent before. */
  readonly resume: () => void;
  /** Sends again what was refused, or what the user has verified that the wallet did not send. */
  readonly sendAgain: () => void;
  /** Removes its record. A running transfer stays. */
  readonly discard: () => void;
}

/** A transfer as a page shows it. */
export interface Transfer extends Omit<RunState, 'isRunning'>, TransferActions {
  readonly status: TransferStatus;
  /** The error with its next step, or the newest step, for the user. Empty if nothing began. */
  readonly message: string;
  /** The actions to show as buttons. */
  readonly offers: readonly (keyof TransferActions)[];
}

/** Options of `useTransfer` and `useRecords`: those of a flow, and the wallet. */
export interface UseTransferOptions extends RunOptions {
  /** Null until the user has connected one. */
  readonly wallet: Wallet | null | undefined;
}

/** The result of `useTransfer`. */
export interface UseTransferResult extends Transfer {
  /**
   * Begins a transfer: call it on a click. It does nothing while a begun transfer is not mined, and discards a refused
   * one.
   */
  readonly begin: (transfer: TransferToBegin) => void;
}

/**
 * Begins a transfer, and shows it until it is mined. Unmounting stops the waiting; `useRecords` resumes a begun
 * transfer.
 *
 * @example
 * ```tsx
 * const { begin, status, error } = useTransfer({ wallet });
 * const deposit = () => begin({ kind: 'DEPOSIT', asset: 'ETH', amount: '0.5', recipient });
 * return <button onClick={deposit} disabled={status === 'running'}>{error?.message ?? 'Deposit'}</button>;
 * ```
 */
export function useTransfer({ wallet, ...options }: UseTransferOptions): UseTransferResult {
  const { bridge } = useCauseway();
  const transfers = useTransfers();
  const own = useRef<Run>(null);
  const read = () => transfers.read(own.current);
  const state = useSyncExternalStore(transfers.subscribe, read, () => IDLE);
  useEffect(
    () => () => {
      own.current?.controller.abort();
      // A second mount begins anew.
      own.current = null;
    },
    [],
  );

  const continueWith = (sendAgain: boolean) => {
    const { record } = read();
    if (record !== null) own.current = transfers.resume(bridge, wallet, record, { ...options, sendAgain });
  };
  const discard = () => {
    const { record, isRunning } = read();
    if (isRunning) return;
    own.current = null;
    transfers.discard(record);
  };
  return {
    ...describeTransfer(state),
    begin: (transfer) => {
      // Read now: a second click can precede the next rendering.
      const { isRunning, record, outcome } = read();
      if (isRunning || (record !== null && outcome === null && isBegun(record))) return;
      if (record !== null && outcome === null) discard();
      own.current = transfers.begin(bridge, wallet, transfer, options);
    },
    resume: () => continueWith(false),
    sendAgain: () => continueWith(true),
    discard,
  };
}

/** Returns the transfers of the page. */
export function useTransfers(): Transfers {
  const client = useQueryClient();
  const { transfers } = useCauseway();
  transfers.made ??= new Transfers(client, transfers.store);
  return transfers.made;
}

const STATES: Readonly<Record<TransferState, readonly [status: TransferStatus, message: string]>> = {
  PLANNED: ['planned', 'Not sent yet'],
  REFUSED: ['refused', 'Refused in the wallet'],
  ASKED: ['interrupted', 'Connect the wallet that began this transfer'],
  SENT: ['interrupted', 'Connect the wallet that began this transfer'],
  ENDED: ['failed', 'The transaction failed'],
};

const OFFERS: Readonly<Record<TransferStatus, Transfer['offers']>> = {
  idle: [],
  running: [],
  sent: ['discard'],
  planned: ['sendAgain', 'discard'],
  refused: ['sendAgain', 'discard'],
  undecided: ['resume', 'sendAgain', 'discard'],
  failed: ['resume', 'discard'],
  interrupted: ['resume', 'discard'],
};

/** Describes a run, or a record without one. Pure. */
export function describeTransfer({ isRunning, ...state }: RunState): Omit<Transfer, keyof TransferActions> {
  const { record, progress, outcome, error } = state;
  const kept = record === null ? null : getTransferState(record);
  const [status, message] = kept === null ? (['idle', ''] as const) : STATES[kept];
  const step = progress.at(-1)?.message;
  // A transfer without a record has no actions, and one that has ended can only be discarded.
  const choose = (of: TransferStatus) =>
    OFFERS[of].filter((offer) => kept !== null && (kept !== 'ENDED' || offer === 'discard'));
  if (isRunning) return { ...state, status: 'running', message: step ?? 'Continuing', offers: OFFERS.running };
  if (outcome !== null) return { ...state, status: 'sent', message: step ?? 'Sent', offers: OFFERS.sent };
  if (error === null) return { ...state, status, message, offers: choose(status) };
  const isOpen = status === 'planned' || status === 'refused';
  const ended = error.name === 'UndecidedError' ? 'undecided' : isOpen ? status : 'failed';
  const words = [error.message.replace(/\.?$/, '.'), error.nextStep].join(' ');
  return { ...state, status: ended, message: words, offers: choose(ended) };
}
