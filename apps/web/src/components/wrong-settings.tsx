import { describeError } from '@causeway/ui/components';
import { SettingsError } from '../settings/settings.js';
import { COMMON } from '../words/common.js';

/** The whole page while its host must correct the settings. */
export function WrongSettings({ error }: { readonly error: unknown }) {
  const problems = error instanceof SettingsError ? error.problems : [describeError(error)];
  return (
    <main className="mx-auto max-w-prose px-4 py-16">
      <h1 className="text-xl font-semibold">{COMMON.settings.title}</h1>
      <p className="mt-2 text-muted">{COMMON.settings.text}</p>
      <ul className="mt-4 list-disc pl-5">
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </main>
  );
}
