import type { FeeQuoteResponse } from '@causeway/sdk';
import { Facts, Loading } from '@causeway/ui/components';
import { formatAmount, formatDuration } from '@causeway/ui/format';
import type { ReactNode } from 'react';
import { useSettings } from '../settings/context.js';
import { makeChain } from '../wallet/chains.js';
import { MOVE } from '../words/move.js';
import { describeGas, describeShare, getDestination, getOrigin, splitTime, type MoveForm } from './form.js';

/** What arrives, the fee, gas, time and minimum of the entered amount. The API's own words for amounts are not used. */
export function QuoteFacts({
  form,
  quote,
  gasFee,
  isQuoting,
}: {
  readonly form: MoveForm;
  readonly quote: FeeQuoteResponse | null;
  /** In wei; null without a wallet. */
  readonly gasFee: bigint | null;
  readonly isQuoting: boolean;
}) {
  const settings = useSettings();
  const { asset, direction } = form;
  if (quote === null) return isQuoting ? <Loading rows={3} /> : null;
  const { inputAmount, outputAmount, feeAmount, minimumAmount } = quote;
  const share = describeShare(BigInt(feeAmount), BigInt(inputAmount));
  const gas = gasFee === 0n ? MOVE.gasOther : gasFee === null ? null : describeGas(gasFee, getOrigin(direction));
  const facts: (readonly [string, ReactNode])[] = [
    [
      MOVE.arrives,
      <strong key="arrives" className="font-semibold tabular-nums">
        {formatAmount(asset, outputAmount)} {asset} · {settings[getDestination(direction)].name}
      </strong>,
    ],
    [MOVE.fee, MOVE.feeWith(formatAmount(asset, feeAmount), asset, share)],
    ...(gas === null ? [] : [[MOVE.gas, gasFee === 0n ? gas : MOVE.gasUpTo(gas)] as const]),
    [MOVE.time, <ExpectedTime key="time" quote={quote} form={form} />],
    [MOVE.minimum, BigInt(minimumAmount) === 0n ? MOVE.noMinimum : `${formatAmount(asset, minimumAmount)} ${asset}`],
  ];
  return (
    <section aria-label={MOVE.quote} className="rounded-lg bg-sunken px-3.5 py-3">
      <Facts facts={facts} />
    </section>
  );
}

function ExpectedTime({ quote, form }: { readonly quote: FeeQuoteResponse; readonly form: MoveForm }) {
  const settings = useSettings();
  const { estimatedSeconds } = quote;
  if (estimatedSeconds === null) return MOVE.timeUnknown;
  const origin = getOrigin(form.direction);
  const { confirming, held, queue } = splitTime(estimatedSeconds, {
    confirmations: settings[origin].confirmations,
    blockMs: makeChain(settings, origin).blockTime ?? 0,
    hold: origin === 'partner' ? settings.holdSeconds : 0,
  });
  const parts = [
    MOVE.confirmations(formatDuration(confirming)),
    ...(held > 0 ? [MOVE.hold(formatDuration(held))] : []),
    ...(queue > 0 ? [MOVE.queue(formatDuration(queue))] : []),
  ];
  return MOVE.timeParts(formatDuration(estimatedSeconds), parts.join(', '));
}
