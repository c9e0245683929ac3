/** An evaluation error. The messages are those of cel-go, which the API server returns in Status messages. */
export class EvalError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "EvalError";
  }
}

/** Returns a function that tells if `parse` accepts its arguments: false if it throws an EvalError. */
export function succeeds<Args extends unknown[]>(
  parse: (...args: Args) => unknown,
): (...args: Args) => boolean {
  return (...args) => {
    try {
      parse(...args);
      return true;
    } catch (error) {
      if (error instanceof EvalError) return false;
      throw error;
    }
  };
}

/** The cost limit was exceeded; unlike other errors, `||` can't absorb it. */
export class CostLimitError extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
    this.name = "CostLimitError";
  }
}

/** The message if the cost budget of a request is exceeded. */
export const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/** The cost budget of a request is exceeded: the errors so far are returned, and no further expression is evaluated. */
export class OutOfBudgetError extends Error {
  constructor() {
    super(outOfBudget);
  }
}
