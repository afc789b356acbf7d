/** The token under which NestJS provides the embedded chain. */
export const PARTNER_CHAIN = Symbol('PartnerChain');
