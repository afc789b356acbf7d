/** Something that is asked of nodes. */
export interface Question {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Method and params as they are sent: members of a JSON object. Equal questions have equal texts. */
  readonly text: string;
}
