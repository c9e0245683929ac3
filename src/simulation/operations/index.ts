/**
 * The actions of users, drawn from a CRD. Begin with `operations-for.ts`: it plans the steps of one run. `draw-object.ts`
 * makes valid objects, `changes.ts` changes them.
 */
export { operationsFor, type OperationsOptions } from "./operations-for.ts";
export { type UnchangedField, unchangedFields } from "./unchanged-fields.ts";
