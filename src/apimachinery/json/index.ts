export { copyJSON } from "./copy.ts";
export { isEqual } from "./is-equal.ts";
export { isObject, type JSONObject, memberOf, setMember, unionOfKeys } from "./object.ts";
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
} from "./scalars.ts";
