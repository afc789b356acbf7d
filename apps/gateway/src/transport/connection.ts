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
  /** Calls back once when the connection has ended, for whatever reason (at once if it has already). */
  onClose(listener: () => void): void;
}
