// The vocabulary of every object. Begin with `object.ts`; `kind.ts` has kinds as values, `condition.ts` conditions,
// `described-conditions.ts` what those of any object say, `pod-problem.ts` why a Pod does not run. The types of single values are in
// `json`, and exported here for users.

export * from "./object.ts";
export * from "./condition.ts";
export * from "./described-conditions.ts";
export * from "./kind.ts";
export * from "./pod-problem.ts";
export type {
  Duration,
  DurationLike,
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
