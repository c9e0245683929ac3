export { changedFields } from "./changed-fields.ts";
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
export type { LabelSelector, LabelSelectorRequirement } from "./label-selector.ts";
export type {
  CustomResource,
  KubernetesList,
  KubernetesObject,
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  TypeMeta,
} from "./object.ts";
export { findController, ownerReferenceTo, withOwnerReference } from "./owner-reference.ts";
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
export type { Status, StatusCause, StatusDetails } from "./status.ts";
