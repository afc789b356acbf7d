import type { ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';

/** One tab. */
export interface TabPart {
  readonly id: string;
  readonly title: string;
  readonly content: ReactNode;
}

/** Tabs that show one part of a page at a time. The arrow keys move between tabs. */
export function PageTabs({
  label,
  parts,
  chosen,
  onChoose,
}: {
  readonly label: string;
  readonly parts: readonly TabPart[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}) {
  return (
    <Tabs selectedKey={chosen} onSelectionChange={(id) => onChoose(String(id))} className="flex min-w-0 flex-col gap-5">
      <TabList aria-label={label} className="flex flex-wrap gap-x-1 border-b border-line">
        {parts.map(({ id, title }) => (
          <Tab
            key={id}
            id={id}
            className="-mb-px cursor-pointer border-b-2 border-transparent px-3 py-2 font-medium text-muted hover:text-ink data-[selected]:border-accent data-[selected]:text-accent"
          >
            {title}
          </Tab>
        ))}
      </TabList>
      {parts.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="flex min-w-0 flex-col gap-5 outline-offset-4">
          {content}
        </TabPanel>
      ))}
    </Tabs>
  );
}
