import { Hash } from '@causeway/ui/components';
import { shorten } from '@causeway/ui/format';
import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { useSettings } from '../settings/context.js';
import { COMMON } from '../words/common.js';

/** Returns the explorer of a chain if the host configured one. */
function useExplorer(chainId: number) {
  const { addressBook, ethereum, partner } = useSettings();
  return (chainId === addressBook.ethereum.chainId ? ethereum : partner).explorer;
}

/** Opens in a new tab. */
function ExplorerLink({ name, url }: { readonly name: string; readonly url: string }) {
  return (
    <a href={url} target="_blank" rel="noreferrer" className="inline-flex items-center gap-1 text-accent underline">
      {name}
      <ExternalLink aria-hidden className="size-3.5" />
    </a>
  );
}

/** A transaction's hash, with a link to the explorer of its chain. */
export function TransactionHash({ hash, chainId }: { readonly hash: string; readonly chainId: number }) {
  const explorer = useExplorer(chainId);
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2">
      <Hash hex={hash} label={COMMON.transaction} />
      {explorer === undefined ? null : (
        <ExplorerLink name={explorer.name} url={explorer.transactionUrl.replace('{hash}', hash)} />
      )}
    </span>
  );
}

/** An account with a link to its history, and one to the explorer of its chain. */
export function Account({ address, chainId }: { readonly address: string; readonly chainId: number }) {
  const explorer = useExplorer(chainId);
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2">
      <Hash hex={address} label={COMMON.address}>
        <Link to="/history/$address" params={{ address }} className="text-accent underline">
          {shorten(address)}
        </Link>
      </Hash>
      {explorer?.addressUrl === undefined ? null : (
        <ExplorerLink name={explorer.name} url={explorer.addressUrl.replace('{address}', address)} />
      )}
    </span>
  );
}
