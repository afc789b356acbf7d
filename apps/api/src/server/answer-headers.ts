import { Cors } from '@causeway/service/http';
import { Injectable } from '@nestjs/common';

/** A browser that displays a JSON response must not load or run anything (OWASP, REST). */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
} as const;

/** Headers of every response, including those made outside of controllers. */
@Injectable()
export class AnswerHeaders {
  constructor(private readonly cors: Cors) {}

  /** @param origin origin of the calling web page; undefined for callers that are not browsers. */
  of(requestId: string, origin: string | undefined): Record<string, string> {
    return { ...SECURITY_HEADERS, ...this.cors.headers(origin), 'x-request-id': requestId };
  }
}
