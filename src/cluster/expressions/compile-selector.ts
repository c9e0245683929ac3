import {
  type CelType,
  type Env,
  kubernetesEnv,
  mapType,
  objectType,
  quantityType,
  types,
} from "@tsbuilder/apimachinery/cel";
import { type Compilation, compileExpression, shown } from "./compile-expression.ts";

/** Compiles an expression that selects devices. Its value is a boolean, or an attribute, whose type is not known before. */
export function compileSelector(source: string): Compilation {
  const compiled = compileExpression(source, (deviceEnv ??= createEnv()));
  if ("detail" in compiled) return compiled;
  const { type } = compiled;
  if (type.kind === "bool" || type.kind === "dyn") return compiled;
  return { detail: `must evaluate to bool or the unknown type, not ${shown(type)}` };
}

let deviceEnv: Env | undefined;

function createEnv(): Env {
  return kubernetesEnv().withVariables([["device", deviceType]]);
}

/** A map of maps: by domain, and in it by name. */
function qualified(value: CelType): CelType {
  return mapType(types.string, mapType(types.string, value));
}

/** Dynamic, and called as in protobuf. */
const any: CelType = { ...types.dyn, name: "google.protobuf.Any", runtimeName: "google.protobuf.Any" };

const deviceType = objectType(
  "kubernetes.DRADevice",
  new Map([
    ["driver", types.string],
    ["allowMultipleAllocations", types.bool],
    ["attributes", qualified(any)],
    ["capacity", qualified(quantityType)],
  ]),
);
