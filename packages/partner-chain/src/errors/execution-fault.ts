/** The EVM itself broke at a transaction. It is a fault of this program's, not of the transaction's sender; the machine it broke in is not to be used again. */
export class ExecutionFault extends Error {
  constructor(
    readonly transactionHash: `0x${string}`,
    cause: unknown,
  ) {
    super(
      `the EVM broke at transaction ${transactionHash}: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
      },
    );
    this.name = 'ExecutionFault';
  }
}
