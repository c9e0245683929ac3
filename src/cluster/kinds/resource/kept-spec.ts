import { invalidStruct } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { goStruct, number, pointer, pointerTo, type Shape, text } from "../checks/go-struct.ts";
import type { Problems } from "../checks/problems.ts";

/** The spec of a claim can't change; the message shows it as the struct that it is in Go. */
export function* keptClaim(spec: unknown, old: unknown): Problems {
  if (!isEqual(spec, old)) yield invalidStruct("spec", goStruct(spec, claimSpec), "field is immutable");
}

/** The same for the spec of a template, into which Go writes the fields of its metadata. */
export function* keptTemplate(spec: unknown, old: unknown): Problems {
  if (isEqual(spec, old)) return;
  const { metadata, ...rest } = spec as { metadata?: object };
  const shown = { ...metadata, ...goStruct(rest, { spec: { zero: null, of: claimSpec } }) };
  yield invalidStruct("spec", shown, "field is immutable");
}

const selector: Shape = { cel: pointerTo({ expression: text }) };
const toleration: Shape = {
  key: text,
  operator: text,
  value: text,
  effect: text,
  tolerationSeconds: pointer,
};
const capacity: Shape = { requests: pointer };
const subRequest: Shape = {
  name: text,
  deviceClassName: text,
  selectors: pointerTo(selector),
  allocationMode: text,
  count: number,
  tolerations: pointerTo(toleration),
  capacity: pointerTo(capacity),
};
const exactRequest: Shape = {
  deviceClassName: text,
  selectors: pointerTo(selector),
  allocationMode: text,
  count: number,
  adminAccess: pointer,
  tolerations: pointerTo(toleration),
  capacity: pointerTo(capacity),
};
const claimSpec: Shape = {
  devices: pointerTo({
    requests: pointerTo({
      name: text,
      exactly: pointerTo(exactRequest),
      firstAvailable: pointerTo(subRequest),
    }),
    constraints: pointerTo({ requests: pointer, matchAttribute: pointer, distinctAttribute: pointer }),
    config: pointerTo({
      requests: pointer,
      // The parameters of a driver are anything, which Go keeps as it came.
      opaque: pointerTo({ driver: text, parameters: pointer }),
    }),
  }),
};
