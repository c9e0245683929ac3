export type {
  Condition,
  CustomResource,
  DesiredCondition,
  Duration,
  float64,
  GroupVersion,
  int32,
  int64,
  IntOrString,
  JSONValue,
  Kind,
  KubernetesList,
  KubernetesObject,
  LabelSelector,
  MicroTime,
  ObjectMeta,
  OwnerReference,
  Quantity,
  RawExtension,
  Status,
  Time,
} from "@tsbuilder/apimachinery/meta";
export {
  defineKind,
  findCondition,
  findController,
  isConditionTrue,
  ownerReferenceTo,
  removeCondition,
  setCondition,
  withOwnerReference,
} from "@tsbuilder/apimachinery/meta";
export { compareQuantities, quantityToNumber } from "@tsbuilder/apimachinery/quantity";
export {
  cronTimes,
  formatMicroTime,
  formatTime,
  parseDuration,
  parseTime,
} from "@tsbuilder/apimachinery/time";
export * from "./cache/index.ts";
export * from "./client/index.ts";
export * from "./clusters/index.ts";
export { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
export * from "./controller/index.ts";
export * from "./events/index.ts";
export * from "./health/index.ts";
export * from "./log/index.ts";
export * from "./manager/index.ts";
export type {
  ChannelMessages,
  ControllerSample,
  EnqueueMessage,
  ReconcileEndMessage,
  ReconcileStartMessage,
  RequestMessage,
  SampleMessage,
} from "./tracing/channels.ts";
export * from "./webhook/index.ts";
