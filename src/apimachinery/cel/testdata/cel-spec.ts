import { tests as conformance } from "@bufbuild/cel-spec/testdata/conformance.js";
import type { CelType } from "../types/type.ts";
import {
  listType,
  mapType,
  objectType,
  opaqueType,
  paramType,
  types,
  typeType,
  wrapperType,
} from "../types/type.ts";
import { CelDouble, CelUint, NativeList, NativeMap, TypeValue, type Value, checkInt } from "../values/value.ts";
import { CelDuration, CelTimestamp, parseTimestamp } from "../values/time.ts";
import { parseGoDuration } from "../../schema/formats/times.ts";
import type { JSONObject } from "../../json/index.ts";
import { reasonToLeaveOut } from "./left-out.ts";

type Unchecked = JSONObject<unknown>;

/** A case of the conformance suite, in our types. */
export interface SpecCase {
  readonly suite: string;
  readonly section: string;
  readonly name: string;
  readonly expr: string;
  readonly variables: readonly (readonly [string, CelType])[];
  readonly bindings: ReadonlyMap<string, Value>;
  readonly container: string;
  readonly disableCheck: boolean;
  readonly value: Value | undefined;
  /** Undefined if the case has no expected type. */
  readonly type: CelType | undefined;
  readonly fails: boolean;
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: Unchecked }[];
}

/** All applicable cases, and the number of skipped cases by suite and reason. */
export function loadCases(): { cases: SpecCase[]; leftOut: Map<string, number> } {
  const cases: SpecCase[] = [];
  const leftOut = new Map<string, number>();
  for (const suite of (conformance as unknown as Suite).suites ?? []) {
    for (const section of suite.suites ?? []) {
      for (const { original } of section.tests ?? []) {
        const reason = reasonToLeaveOut(suite.name, section.name, original);
        if (reason === undefined) cases.push(toCase(suite.name, section.name, original));
        else leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
      }
    }
  }
  return { cases, leftOut };
}

function toCase(suite: string, section: string, original: Unchecked): SpecCase {
  const typed = original["typedResult"] as Unchecked | undefined;
  const value = (original["value"] ?? typed?.["result"]) as Unchecked | undefined;
  const fails = original["evalError"] !== undefined;
  const checkOnly = original["checkOnly"] === true;
  return {
    suite,
    section,
    name: original["name"] as string,
    expr: original["expr"] as string,
    variables: ((original["typeEnv"] ?? []) as Unchecked[])
      .filter((declaration) => declaration["ident"] !== undefined)
      .map((declaration) => [
        declaration["name"] as string,
        toType((declaration["ident"] as Unchecked)["type"] as Unchecked),
      ]),
    bindings: new Map(
      Object.entries((original["bindings"] ?? {}) as Record<string, Unchecked>).map(([name, bound]) => [
        name,
        toValue(bound["value"] as Unchecked),
      ]),
    ),
    container: (original["container"] as string | undefined) ?? "",
    disableCheck: original["disableCheck"] === true,
    value: value ? toValue(value) : defaultValue(fails, checkOnly || typed !== undefined),
    type: typed?.["deducedType"] ? toType(typed["deducedType"] as Unchecked) : undefined,
    fails,
  };
}

/** Default: `true`. */
function defaultValue(fails: boolean, checkOnly: boolean): Value | undefined {
  return fails || checkOnly ? undefined : true;
}

/** Decodes a value of the suite. */
function toValue(json: Unchecked): Value {
  const [kind, content] = entryOf(json, "nullValue");
  switch (kind) {
    case "int64Value":
      return checkInt(BigInt(content as string));
    case "uint64Value":
      return new CelUint(BigInt(content as string));
    case "doubleValue":
      return new CelDouble(Number(content));
    case "bytesValue":
      return new Uint8Array(Buffer.from(String(content), "base64"));
    case "listValue":
      return new NativeList((((content as Unchecked)["values"] ?? []) as Unchecked[]).map(toValue));
    case "mapValue":
      return new NativeMap(
        (((content as Unchecked)["entries"] ?? []) as { key: Unchecked; value: Unchecked }[]).map(
          ({ key, value }) => [toValue(key), toValue(value)] as const,
        ),
      );
    case "typeValue":
      return new TypeValue(objectType(content as string));
    case "objectValue":
      return toMessage(content as Unchecked);
    default:
      return content as Value;
  }
}

function toMessage(content: Unchecked): Value {
  const text = content["value"] as string;
  if ((content["@type"] as string).endsWith("Duration")) return new CelDuration(parseGoDuration(text)!);
  return new CelTimestamp(parseTimestamp(text)!.nanos);
}

const primitives: Readonly<Record<string, CelType>> = {
  BOOL: types.bool,
  BYTES: types.bytes,
  DOUBLE: types.double,
  INT64: types.int,
  STRING: types.string,
  UINT64: types.uint,
};

/** Returns the only member of a oneof. */
function entryOf(json: Unchecked, otherwise: string): readonly [string, unknown] {
  for (const entry of Object.entries(json)) return entry;
  return [otherwise, null];
}

/** Decodes a type of the suite. */
export function toType(json: Unchecked): CelType {
  const [kind, content] = entryOf(json, "dyn");
  const inner = content as Record<string, Unchecked>;
  switch (kind) {
    case "primitive":
      return primitives[String(content)] ?? types.dyn;
    case "wrapper":
      return wrapperType(primitives[String(content)] ?? types.dyn);
    case "null":
      return types.null;
    case "listType":
      return listType(inner["elemType"] ? toType(inner["elemType"]) : types.dyn);
    case "mapType":
      return mapType(toType(inner["keyType"] ?? {}), toType(inner["valueType"] ?? {}));
    case "typeParam":
      return paramType(content as string);
    case "type":
      return typeType(toType(inner));
    case "wellKnown":
      return content === "DURATION" ? types.duration : types.timestamp;
    case "messageType":
      if (content === "google.protobuf.Duration") return types.duration;
      return content === "google.protobuf.Timestamp" ? types.timestamp : objectType(content as string);
    case "abstractType": {
      const { name, parameterTypes = [] } = content as { name: string; parameterTypes?: Unchecked[] };
      return opaqueType(name, ...parameterTypes.map(toType));
    }
    default:
      return types.dyn;
  }
}
