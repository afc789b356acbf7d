import { getRefund, type ApiError, type RefundResponse } from '@causeway/sdk';
import { Amount, Badge, Card, Empty, Facts, Loaded, Time } from '@causeway/ui/components';
import { REFUND_LABELS } from '@causeway/ui/format';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Account, TransactionHash } from '../components/explorer-link.js';
import { Page } from '../components/page.js';
import { useBridge, useSettings } from '../settings/context.js';
import { FIND } from '../words/find.js';
import { isHash, getSide } from './kinds.js';

/** Milliseconds between reads of a refund that is not paid or refused. */
const INTERVAL = 5_000;

/** One refund: what arrived, where it stands, and its payment. */
export function RefundPage() {
  const { id } = useParams({ from: '/refund/$id' });
  return (
    <Page title={FIND.refund.title}>
      {isHash(id) ? <FollowedRefund id={id} /> : <Empty title={FIND.refund.unknown}>{FIND.refund.unknownText}</Empty>}
    </Page>
  );
}

function FollowedRefund({ id }: { readonly id: `0x${string}` }) {
  const bridge = useBridge();
  const query = useQuery<RefundResponse, ApiError>({
    queryKey: ['refund', id],
    queryFn: async ({ signal }) => getRefund(bridge, id, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.status === 'COMPLETED' || data?.status === 'REFUSED' ? false : INTERVAL,
  });
  if (query.error?.code === 'OPERATION_NOT_FOUND')
    return <Empty title={FIND.refund.unknown}>{FIND.refund.unknownText}</Empty>;
  return <Loaded query={query}>{(refund) => <Refund refund={refund} />}</Loaded>;
}

function Refund({ refund }: { readonly refund: RefundResponse }) {
  const settings = useSettings();
  const { asset, status, amount, chainId, payer, payment, operationId } = refund;
  const side = getSide(settings, chainId);
  const words = FIND.refund;
  return (
    <>
      <Card title={words.arrived} actions={<Badge label={REFUND_LABELS[status]} />}>
        <p className="mb-4">{FIND.refunds[status]}</p>
        <Facts
          facts={[
            [words.amount, <Amount key="amount" asset={asset} atomic={amount} />],
            [words.chain, settings[side].name],
            [words.payer, <Account key="payer" chainId={chainId} address={payer} />],
            [words.at, <Time key="at" at={refund.createdAt} />],
            [words.changed, <Time key="changed" at={refund.updatedAt} />],
            [
              words.operation,
              <Link key="of" to="/transfer/$id" params={{ id: operationId }} className="text-accent underline">
                {words.openOperation}
              </Link>,
            ],
          ]}
        />
      </Card>
      <Card title={words.payment}>
        {payment === null ? (
          <p className="text-muted">{words.noPayment}</p>
        ) : (
          <Facts
            facts={[
              [words.amount, <Amount key="amount" asset={asset} atomic={payment.amount} />],
              [words.gas, <Amount key="gas" asset={asset} atomic={payment.gasFee} />],
              ...(payment.dust === '0'
                ? []
                : [[words.dust, <Amount key="dust" asset={asset} atomic={payment.dust} />] as const]),
              [words.recipient, <Account key="to" chainId={chainId} address={payment.recipient} />],
              ...(payment.txHash === null
                ? []
                : [
                    [
                      FIND.refund.transaction,
                      <TransactionHash key="tx" chainId={chainId} hash={payment.txHash} />,
                    ] as const,
                  ]),
            ]}
          />
        )}
      </Card>
    </>
  );
}
