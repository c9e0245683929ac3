/** The cost limit of one evaluation of an expression. */
export const perCallLimit = 1_000_000;

/** The cost limit of all rules of an object. */
export const runtimeBudget = 10_000_000;

/** The limit of the estimated cost of one rule in a CRD. */
export const staticRuleLimit = 10_000_000;

/** The limit of the estimated cost of all rules of a schema. */
export const staticSchemaLimit = 100_000_000;

/** The maximum length of a message from a messageExpression, in bytes. */
export const messageLimit = 5 * 1024;
