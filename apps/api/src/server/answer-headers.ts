import { Cors } from '@causeway/service/http';
import { Injectable } from '@nestjs/common';

/** A JSON document needs nothing of a page, so a browser that shows one may load and run nothing (OWASP, REST). */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
} as const;

/** The headers of every answer, also of those that no controller makes. */
@Injectable()
export class AnswerHeaders {
  constructor(private readonly cors: Cors) {}

  /** @param origin the web page that asks; undefined for callers that are not browsers. */
  of(requestId: string, origin: string | undefined): Record<string, string> {
    return { ...SECURITY_HEADERS, ...this.cors.headers(origin), 'x-request-id': requestId };
  }
}
