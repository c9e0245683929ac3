/** What one evaluation of one expression may cost. */
export const perCallLimit = 1_000_000;

/** What all rules of one object may cost together. */
export const runtimeBudget = 10_000_000;

/** What one rule may be estimated to cost when a CRD is created. */
export const staticRuleLimit = 10_000_000;

/** What all rules of one schema may be estimated to cost together. */
export const staticSchemaLimit = 100_000_000;

/** The longest message that an expression may make, in bytes. */
export const messageLimit = 5 * 1024;
