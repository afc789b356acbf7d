import { useCheck, useQuote } from '@causeway/react';
import {
  getConfig,
  planDeposit,
  readFunds,
  switchChain,
  type CausewayErrorType,
  type ConfigResponse,
  type PlannedTransfer,
} from '@causeway/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { formatUnits } from '@causeway/ui/format';
import { useEffect, useState } from 'react';
import { useBridge, useSettings } from '../settings/context.js';
import { makeChain, readAs } from '../wallet/chains.js';
import type { PageWallet } from '../wallet/use-wallet.js';
import { parseAmount } from './amount.js';
import { useClosed } from './closed.js';
import { chooseKind, getOrigin, type MoveForm } from './form.js';
import { findRecipientProblem } from './recipient.js';

/** A quote is valid for five seconds. */
const REFRESH_MS = 5_000;
const TYPING_MS = 250;

/** Returns the value after a pause in typing. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Everything that the form reads about what was entered: amount, quote, check, funds, and whether it is closed. */
export function useMove(form: MoveForm, { wallet, chainId }: PageWallet) {
  const bridge = useBridge();
  const settings = useSettings();
  const { asset, direction } = form;
  const origin = getOrigin(direction);
  const kind = chooseKind(form);
  const account = wallet?.account ?? null;

  const config = useQuery<ConfigResponse, CausewayErrorType>({
    queryKey: ['config'],
    queryFn: async ({ signal }) => getConfig(bridge, { signal }),
    staleTime: Infinity,
    refetchInterval: ({ state }) => (state.data === undefined ? REFRESH_MS : false),
  });
  const token = config.data?.[origin].tokens.find((each) => each.token === asset);
  // Before the configuration is known, all digits pass; nothing can begin.
  const decimals = token?.decimals ?? 18;
  const movable = token === undefined ? decimals : decimals - (token.granularity.length - 1);
  const parsed = parseAmount(form.amount, { asset, decimals, movable });
  const amount = parsed.state === 'amount' ? parsed.amount : '';
  const settled = useSettled(amount);

  const recipient = form.recipient.trim() === '' ? account : form.recipient.trim();
  const recipientProblem = form.recipient === '' ? null : findRecipientProblem(form.recipient);
  const isComplete = settled !== '' && settled === amount && recipientProblem === null && token !== undefined;
  const transfer: PlannedTransfer | null =
    isComplete && recipient !== null ? { kind, asset, amount: settled, recipient } : null;

  const check = useCheck({ wallet, transfer }, { refetchInterval: REFRESH_MS });
  const { refetch } = check;
  useEffect(() => void (transfer === null ? undefined : refetch()), [chainId, refetch]);
  // The check has a quote of its own.
  const isQuoted = check.data?.quote !== undefined && check.data.quote !== null;
  const alone = useQuote(
    isComplete && !isQuoted && check.error === null && wallet === null ? { asset, amount: settled, direction } : null,
    { refetchInterval: REFRESH_MS },
  );

  const funds = useQuery({
    queryKey: ['funds', account, kind, asset],
    queryFn: async ({ signal }) =>
      readFunds(bridge, readAs(settings, origin, account ?? '0x'), { kind, asset }, { signal }),
    enabled: account !== null,
    refetchInterval: 2 * REFRESH_MS,
  });
  const steps = useQuery({
    queryKey: ['steps', account, asset, settled, recipient, chainId],
    queryFn: async ({ signal }) => {
      if (wallet === null || check.data === undefined) return null;
      const terms = { asset, amount: check.data.amount, recipient: recipient as `0x${string}` };
      return planDeposit(bridge, wallet, terms, { signal });
    },
    enabled: transfer !== null && kind === 'DEPOSIT' && isQuoted,
    staleTime: Infinity,
  });

  const switching = useMutation<void, CausewayErrorType>({
    mutationFn: async () => {
      if (wallet !== null) await switchChain(wallet, makeChain(settings, origin));
    },
    onSettled: async () => refetch(),
  });

  const format = (atomic: bigint | undefined) => (atomic === undefined ? null : formatUnits(atomic, decimals));
  return {
    kind,
    digits: { decimals, movable },
    parsed,
    amount,
    recipient,
    recipientProblem,
    transfer,
    check,
    quote: check.data?.quote ?? alone.data ?? null,
    quoteError: config.error ?? alone.error,
    isQuoting: isComplete && check.data === undefined && alone.data === undefined,
    balance: format(funds.data?.balance),
    most: format(funds.data?.most),
    steps: steps.data ?? null,
    arePlanned: kind !== 'DEPOSIT' || asset === 'ETH' || steps.data !== undefined || steps.error !== null,
    switching,
    closed: useClosed(asset, direction),
  };
}

/** What the form knows. */
export type Move = ReturnType<typeof useMove>;
