import { useQuote } from '@causeway/react';
import { getConfig, type CausewayErrorType, type ConfigResponse, type PlannedTransfer } from '@causeway/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useBridge } from '../settings/context.js';
import { parseAmount } from './amount.js';
import { chooseKind, getOrigin, type MoveForm } from './form.js';
import { findRecipientProblem } from './recipient.js';

/** A quote is valid for five seconds. */
export const REFRESH_MS = 5_000;
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

/** The parsed entries, and their quote while no wallet is connected. */
export function useTerms(form: MoveForm, account: string | null) {
  const bridge = useBridge();
  const { asset, direction } = form;
  const kind = chooseKind(form);
  const config = useQuery<ConfigResponse, CausewayErrorType>({
    queryKey: ['config'],
    queryFn: async ({ signal }) => getConfig(bridge, { signal }),
    staleTime: Infinity,
    refetchInterval: ({ state }) => (state.data === undefined ? REFRESH_MS : false),
  });
  const token = config.data?.[getOrigin(direction)].tokens.find((each) => each.token === asset);
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
  // With a wallet, the check has a quote of its own.
  const quote = useQuote(isComplete && account === null ? { asset, amount: settled, direction } : null, {
    refetchInterval: REFRESH_MS,
  });
  return {
    kind,
    digits: { decimals, movable },
    parsed,
    amount,
    recipientProblem,
    transfer,
    quote: quote.data ?? null,
    isQuoting: isComplete && quote.data === undefined,
    error: config.error ?? quote.error,
  };
}

/** The parsed entries. */
export type Terms = ReturnType<typeof useTerms>;
