import type { Question } from './question.js';

/** A question as its asker wrote it. Its params are read if anybody wants to know them, which for most nobody does. */
export class WrittenQuestion implements Question {
  constructor(
    readonly method: string,
    readonly text: string,
  ) {}

  get params(): readonly unknown[] {
    const { params } = JSON.parse(`{${this.text}}`) as { readonly params: readonly unknown[] };
    return params;
  }
}
