import { Hash } from '@causeway/ui/components';
import { useSettings } from '../settings/context.js';
import { COMMON } from '../words/common.js';

/** A transaction's hash, with a link to the explorer of its chain if the host configured one. */
export function TransactionHash({ hash, chainId }: { readonly hash: string; readonly chainId: number }) {
  const { addressBook, ethereum, partner } = useSettings();
  const { explorer } = chainId === addressBook.ethereum.chainId ? ethereum : partner;
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2">
      <Hash hex={hash} label={COMMON.transaction} />
      {explorer === undefined ? null : (
        <a
          href={explorer.transactionUrl.replace('{hash}', hash)}
          target="_blank"
          rel="noreferrer"
          className="text-accent underline"
        >
          {explorer.name}
        </a>
      )}
    </span>
  );
}
