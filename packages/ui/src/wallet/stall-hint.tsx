import { useEffect, useState } from 'react';

/** A wallet that is silent for this long probably waits behind another window. */
const STALL_MS = 60_000;

/** Appears when a wallet has not answered for a minute. It is rendered while the page waits, and only then. */
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
