import { compileValidator } from "@tsbuilder/apimachinery/cel";
import type { CRDSpec } from "@tsbuilder/apimachinery/crd";
import { type FieldError, invalid } from "@tsbuilder/apimachinery/errors";
import { isObject } from "@tsbuilder/apimachinery/json";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import type { UserObject } from "./user-object.ts";

/** A CRD, as far as operations are drawn from it. */
export interface CRD {
  readonly spec: CRDSpec;
}

/** A kind with the check of its objects. */
export interface CheckedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly schema: JSONSchema;
  /** The errors of an object, or of the change from another, as an API server finds them. */
  readonly errors: (object: UserObject, old?: UserObject) => FieldError[];
}

/** The kind that a CRD defines, in the version that is stored. */
export function checkedKind({ spec }: CRD): CheckedKind {
  const { group, scope, names, versions } = spec;
  const version = versions.find(({ storage }) => storage) ?? versions[0]!;
  const schema = version.schema?.openAPIV3Schema ?? { type: "object" };
  const validator = compileValidator(schema);
  return {
    apiVersion: `${group}/${version.name}`,
    kind: names.kind,
    isNamespaced: scope === "Namespaced",
    schema,
    errors(object, old) {
      const before = old === undefined ? {} : { old: validator.applyDefaults(old) };
      return [...validator.validate(validator.applyDefaults(object), before), ...scaleErrors(object)];
    },
  };

  /** The number of replicas that the scale subresource shows is never negative. */
  function scaleErrors(object: UserObject): FieldError[] {
    const path = version.subresources?.scale?.specReplicasPath.replace(/^\./, "") ?? "";
    const replicas = path.split(".").reduce<unknown>((value, name) => isObject(value) && value[name], object);
    return Number(replicas) < 0 ? [invalid(path, replicas, "should be a non-negative integer")] : [];
  }
}
