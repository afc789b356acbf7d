/** One WebSocket client, as subscriptions see it. */
export interface Connection {
  /** Unique within this process. */
  readonly id: string;
  readonly ip: string;
  /**
   * Queues one message. A client that reads too slowly for the bounded queue is disconnected instead (close code 1013); after that, and after
   * any close, this does nothing. Never throws.
   */
  send(text: string): void;
  /**
   * Ends the connection (close code 1013) because what was promised to its client cannot be kept any more, such as a subscription without gaps.
   * Does nothing once it has ended. Never throws.
   *
   * @param reason a few words for the client, at most 100 ASCII characters.
   */
  disconnect(reason: string): void;
  /** Calls back once when the connection has ended, for whatever reason (at once if it has already). */
  onClose(listener: () => void): void;
}
