const ROUNDS = 15;
const ROUND_MS = 2_000;
const PAUSE_MS = 25;

/**
 * Sends again and again until one of the transactions is told: nothing says when a client has subscribed.
 *
 * @param send resolves with the hash of what it sent.
 * @param isTold whether a transaction was told in every way that is watched.
 * @returns the hash of one that was.
 * @throws Error when none was within half a minute.
 */
export async function sendUntilTold(send: () => Promise<string>, isTold: (hash: string) => boolean): Promise<string> {
  const sent: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    sent.push(await send());
    for (let waited = 0; waited < ROUND_MS; waited += PAUSE_MS) {
      const told = sent.find(isTold);
      if (told !== undefined) return told;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
  throw new Error(`None of ${sent.length} transactions was told`);
}
