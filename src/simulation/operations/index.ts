export { operationsFor, type OperationsOptions } from "./operations-for.ts";
export { type UnchangedField, unchangedFields } from "./unchanged-fields.ts";
