/** What evaluation fails with. The texts are cel-go's: API servers put them into Status messages. */
export class EvalError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "EvalError";
  }
}

/** Evaluation went over its budget; unlike other errors, no `||` can absorb it. */
export class CostLimitError extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
    this.name = "CostLimitError";
  }
}
