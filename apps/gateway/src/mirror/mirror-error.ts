import { HttpException } from '@nestjs/common';

/** The body of an error of a mirror node. */
export interface MirrorErrorBody {
  readonly _status: { readonly messages: readonly { readonly message: string }[] };
}

/** An error in a Hedera-style mirror node's shape: `{ "_status": { "messages": [{ "message": "Not found" }] } }`. */
export class MirrorError extends HttpException {
  constructor(status: 400 | 404 | 429 | 503, message: string) {
    super({ _status: { messages: [{ message }] } } satisfies MirrorErrorBody, status);
  }
}
