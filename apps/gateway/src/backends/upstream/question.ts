/** Something that is asked of nodes. */
export interface Question {
  readonly method: string;
  /** Null where they were not read: then nothing that is made of the answer depends on them. */
  readonly params: readonly unknown[] | null;
  /** Method and params as they are sent: members of a JSON object. */
  readonly text: string;
}
