import { useEffect, useState } from 'react';

/** A wallet that is silent for this long is probably hidden behind another window. */
const STALL_MS = 60_000;

/** A hint that appears after a minute without an answer. Render it only while the page waits for the wallet. */
export function StallHint() {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), STALL_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLate ? (
    <p className="mt-1 font-medium">
      The wallet has not answered for a minute. Open it, look for a hidden window, or stop waiting.
    </p>
  ) : null;
}
