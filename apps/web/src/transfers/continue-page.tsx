import { createBrowserStore, isCausewayError, type TransferRecord } from '@causeway/sdk';
import { Button, Card, Facts, Hash, Notice, Time } from '@causeway/ui/components';
import { formatAmount } from '@causeway/ui/format';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Page } from '../components/page.js';
import { useSettings } from '../settings/context.js';
import { findSide } from '../wallet/chains.js';
import { TRANSFERS } from '../words/transfers.js';
import { decodeRecord } from './record-link.js';
import { listSteps } from './record-steps.js';
import { isOfThisBridge } from './this-bridge.js';

const WORDS = TRANSFERS.foreign;

/** Shows the record of a link or file as foreign. It opens no wallet; a click adds it to this browser's transfers. */
export function ContinuePage() {
  const fragment = useLocation({ select: ({ hash }) => hash });
  const opened = useMemo(() => open(fragment), [fragment]);
  return (
    <Page title={WORDS.title}>
      {'record' in opened ? (
        <ForeignRecord record={opened.record} />
      ) : (
        <Notice tone="bad" title={opened.problem}>
          {opened.nextStep}
        </Notice>
      )}
    </Page>
  );
}

function open(fragment: string) {
  if (fragment === '') return { problem: WORDS.nothing, nextStep: '' };
  try {
    return { record: decodeRecord(fragment) };
  } catch (error) {
    return isCausewayError(error)
      ? { problem: error.message, nextStep: error.nextStep }
      : { problem: WORDS.nothing, nextStep: '' };
  }
}

/** Returns whether this browser has the transfer in this or a newer state. */
function isKnown({ id, revision }: TransferRecord): boolean {
  try {
    const kept = createBrowserStore().load(id);
    return kept !== null && kept.revision >= revision;
  } catch {
    return false;
  }
}

function ForeignRecord({ record }: { readonly record: TransferRecord }) {
  const settings = useSettings();
  const navigate = useNavigate();
  const { kind, asset, amount, maxFee, sender, recipient, chainId, contract, token, createdAt, environment } = record;
  const side = findSide(settings, chainId);
  const write = (units: string) => `${formatAmount(asset, units)} ${asset}`;
  const isKnownHere = isKnown(record);
  const isOurs = isOfThisBridge(record, settings);
  const [isUnsaved, setUnsaved] = useState(false);
  const go = () => {
    try {
      if (!isKnownHere) void createBrowserStore().save(record);
      void navigate({ to: '/' });
    } catch {
      // The storage is full, or the user blocks it.
      setUnsaved(true);
    }
  };
  return (
    <>
      {!isOurs ? (
        <Notice tone="bad" title={WORDS.other} />
      ) : isKnownHere ? (
        <Notice tone="info" title={WORDS.known} />
      ) : (
        <Notice tone="warn" title={WORDS.warning}>
          {WORDS.warningText}
        </Notice>
      )}
      <Card title={WORDS.kinds[kind]}>
        <Facts
          facts={[
            ...(isOurs ? [[WORDS.amount, write(amount)] as const, [WORDS.maxFee, write(maxFee)] as const] : []),
            [TRANSFERS.from, <Hash key="from" hex={sender} label={TRANSFERS.from} isWhole />],
            [WORDS.recipient, <Hash key="to" hex={recipient} label={TRANSFERS.to} isWhole />],
            [WORDS.chain, side === null ? WORDS.unknownChain(chainId) : settings[side].name],
            [WORDS.contract, <Hash key="contract" hex={contract} label={WORDS.contract} isWhole />],
            [
              WORDS.token,
              BigInt(token) === 0n ? WORDS.coin : <Hash key="token" hex={token} label={WORDS.token} isWhole />,
            ],
            [WORDS.environment, environment],
            [TRANSFERS.began, <Time key="began" at={createdAt} />],
            [WORDS.origin, WORDS.originText(record.id)],
            [
              TRANSFERS.steps,
              listSteps(record)
                .map(({ words, state }) => `${words}: ${TRANSFERS.states[state].word}`)
                .join('; '),
            ],
          ]}
        />
        {isUnsaved ? (
          <div role="alert" className="mt-4">
            <Notice tone="bad" title={WORDS.unsaved}>
              {WORDS.unsavedText}
            </Notice>
          </div>
        ) : null}
        <div className="mt-4 flex flex-wrap justify-end gap-2">
          <Button onPress={() => void navigate({ to: '/' })}>{WORDS.refuse}</Button>
          {isOurs ? (
            <Button look="primary" onPress={go}>
              {isKnownHere ? WORDS.goList : WORDS.go}
            </Button>
          ) : null}
        </div>
      </Card>
    </>
  );
}
