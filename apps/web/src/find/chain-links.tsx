import type { Side } from '@causeway/sdk';
import { Hash } from '@causeway/ui/components';
import { shorten } from '@causeway/ui/format';
import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { useSettings } from '../settings/context.js';

/** Opens in a new tab. */
function ExplorerLink({ name, url }: { readonly name: string; readonly url: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="inline-flex items-center gap-1 font-medium text-accent underline"
    >
      {name}
      <ExternalLink aria-hidden className="size-3.5" />
    </a>
  );
}

/** A transaction, with a link to the explorer if the host configured one. */
export function Transaction({ side, hash }: { readonly side: Side; readonly hash: string }) {
  const { explorer } = useSettings()[side];
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3">
      <Hash hex={hash} label="transaction" />
      {explorer === undefined ? null : (
        <ExplorerLink name={explorer.name} url={explorer.transactionUrl.replace('{hash}', hash)} />
      )}
    </span>
  );
}

/** An account, with links to its history and to the explorer if the host configured one. */
export function Account({ side, address }: { readonly side: Side; readonly address: string }) {
  const { explorer } = useSettings()[side];
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3">
      <Hash hex={address} label="address">
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
