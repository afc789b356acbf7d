import { DIRECTIONS, listOperations, OPERATION_STATUSES } from '@causeway/sdk';
import { Select } from '@causeway/ui/components';
import { STATUS_LABELS } from '@causeway/ui/format';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useBridge, useSettings } from '../settings/context.js';
import { FIND } from '../words/find.js';
import { TransferList } from './transfer-list.js';

/** Milliseconds between reads while the list is shown. */
const INTERVAL = 10_000;

/** Returns a value of a URL if it is one of those known. */
function pick<T extends string>(known: readonly T[], value: string | undefined): T | undefined {
  return known.find((each) => each === value);
}

/** The newest transfers of all users. The filters are in the URL. */
export function LatestTransfers() {
  const bridge = useBridge();
  const navigate = useNavigate({ from: '/find' });
  const search = useSearch({ from: '/find' });
  const { addressBook, ethereum, partner } = useSettings();
  const assets = [...new Set([addressBook.partner, addressBook.ethereum].flatMap(({ tokens }) => Object.keys(tokens)))];
  const filters = {
    asset: pick(assets, search.asset),
    direction: pick(DIRECTIONS, search.direction),
    status: pick(OPERATION_STATUSES, search.status),
  };
  const query = useInfiniteQuery({
    queryKey: ['latest', filters],
    queryFn: async ({ pageParam, signal }) =>
      listOperations(bridge, { ...filters, limit: 10, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
    select: ({ pages }) => pages.flatMap(({ operations }) => operations),
    refetchInterval: INTERVAL,
  });
  const select = (name: keyof typeof filters, words: Readonly<Record<string, string>>) => (
    <div className="w-44 max-sm:w-full">
      <Select
        label={FIND.latest[name]}
        value={filters[name] ?? ''}
        choices={[
          { value: '', words: FIND.latest.all },
          ...Object.entries(words).map(([value, each]) => ({ value, words: each })),
        ]}
        onChange={(value) => void navigate({ search: (all) => ({ ...all, [name]: value }), replace: true })}
      />
    </div>
  );
  return (
    <>
      <div className="flex flex-wrap gap-3">
        {select('asset', Object.fromEntries(assets.map((asset) => [asset, asset])))}
        {select('direction', {
          ETHEREUM_TO_PARTNER: `${ethereum.name} → ${partner.name}`,
          PARTNER_TO_ETHEREUM: `${partner.name} → ${ethereum.name}`,
        })}
        {select('status', Object.fromEntries(OPERATION_STATUSES.map((status) => [status, STATUS_LABELS[status].word])))}
      </div>
      <TransferList title={FIND.latest.title} query={query} none={FIND.latest.none} />
    </>
  );
}
