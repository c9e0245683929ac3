// The vocabulary of every object. Begin with `object.ts`; `kind.ts` has kinds as values, `condition.ts` conditions. The types
// of single values are in `json`, and exported here for users.

export {
  changedFields,
  type CustomResource,
  findController,
  type KubernetesList,
  type KubernetesObject,
  type LabelSelector,
  type LabelSelectorRequirement,
  type ListMeta,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
  ownerReferenceTo,
  type Status,
  type StatusCause,
  type StatusDetails,
  type TypeMeta,
  withOwnerReference,
} from "./object.ts";
export {
  type Condition,
  type DesiredCondition,
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
} from "./condition.ts";
export {
  apiVersionOf,
  defineKind,
  type GroupVersion,
  isApiVersion,
  type Kind,
  type KindDefinition,
  parseApiVersion,
  type Scope,
} from "./kind.ts";
export type {
  Duration,
  float64,
  int32,
  int64,
  IntOrString,
  JSONValue,
  MicroTime,
  Quantity,
  RawExtension,
  Time,
} from "../json/index.ts";
