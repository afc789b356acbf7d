import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { listAssets } from '@causeway/protocol/admin';
import { Button, Select, TextField, type Choice } from '@causeway/ui/components';
import { DELAY_WORDS, DIRECTION_WORDS, KIND_WORDS, STATUS_LABELS } from '@causeway/ui/format';

/** The filters of the list in the URL. */
export interface OperationFilters {
  readonly search?: string;
  readonly status?: string;
  readonly delay?: string;
  readonly asset?: string;
  readonly direction?: string;
  readonly kind?: string;
  readonly from?: string;
  readonly until?: string;
}

const any = (words: string): Choice => ({ value: '', words });
const toChoices = (words: Readonly<Record<string, string>>, all: string): readonly Choice[] => [
  any(all),
  ...Object.entries(words).map(([value, name]) => ({ value, words: name })),
];

type FilterSelect = readonly [name: keyof OperationFilters, label: string, choices: readonly Choice[]];

const listSelects = (): readonly FilterSelect[] => [
  [
    'status',
    'Status',
    [any('Any status'), ...Object.entries(STATUS_LABELS).map(([value, { word }]) => ({ value, words: word }))],
  ],
  ['asset', 'Asset', [any('Any asset'), ...listAssets().map((asset) => ({ value: asset, words: asset }))]],
  ['direction', 'Direction', toChoices(DIRECTION_WORDS, 'Both directions')],
  ['kind', 'Kind', toChoices(KIND_WORDS, 'Any kind')],
  ['delay', 'Delay', toChoices(DELAY_WORDS, 'Any delay')],
];

const MOMENTS = [
  ['from', 'From (local time)'],
  ['until', 'Until (local time)'],
] as const;

const HEX = /^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/;

/** Converts to `2026-11-23T14:05` in the reader's time zone, for a browser field. */
function toLocalInput(iso: string | undefined): string {
  if (iso === undefined || Number.isNaN(Date.parse(iso))) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Search and filters of the list of operations. A change goes into the URL and returns to the newest page. */
export function OperationFilterBar({ filters }: { readonly filters: OperationFilters }) {
  const navigate = useNavigate();
  const [search, setSearch] = useState(filters.search ?? '');
  useEffect(() => setSearch(filters.search ?? ''), [filters.search]);
  const typed = search.trim();
  const error = typed === '' || HEX.test(typed) ? null : 'Enter 0x and 40 or 64 hex digits.';
  const set = (change: OperationFilters | Record<keyof OperationFilters, undefined>) =>
    void navigate({ to: '/operations', search: (previous) => clean({ ...previous, ...change, cursor: undefined }) });
  const hasFilters = Object.values(filters).some((value) => value !== undefined);
  return (
    <div className="flex flex-col gap-3 border-b border-line p-4">
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (error === null) set({ search: typed });
        }}
        className="flex items-end gap-2"
      >
        <div className="min-w-0 flex-1">
          <TextField
            label="Hash, id or address"
            type="search"
            value={search}
            onChange={setSearch}
            error={error}
            placeholder="0x…"
          />
        </div>
        <Button type="submit" isDisabled={error !== null}>
          Search
        </Button>
      </form>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(9.5rem,1fr))] gap-x-3 gap-y-2 sm:grid-cols-[repeat(auto-fill,minmax(13rem,1fr))]">
        {listSelects().map(([name, label, choices]) => (
          <Select
            key={name}
            label={label}
            value={filters[name] ?? ''}
            choices={choices}
            onChange={(value) => set({ [name]: value })}
          />
        ))}
        {MOMENTS.map(([name, label]) => (
          <div key={name} className="min-w-0 max-sm:col-span-full">
            <TextField
              label={label}
              type="datetime-local"
              value={toLocalInput(filters[name])}
              onChange={(value) => set({ [name]: value === '' ? '' : new Date(value).toISOString() })}
            />
          </div>
        ))}
        <div className="flex items-end">
          <Button
            look="quiet"
            isDisabled={!hasFilters}
            onPress={() => void navigate({ to: '/operations', search: {} })}
          >
            Clear filters
          </Button>
        </div>
      </div>
    </div>
  );
}

/** Removes empty values. */
function clean(search: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])),
  );
}
