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

/** What a client is told when the budget of a request is spent. */
export const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/** The budget of all expressions of a request is spent: what was found until then stands, and nothing more runs. */
export class OutOfBudgetError extends Error {
  constructor() {
    super(outOfBudget);
  }
}
