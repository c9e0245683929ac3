import { compileValidator } from "@tsbuilder/apimachinery/cel";
import type { CRDSpec } from "@tsbuilder/apimachinery/crd";
import { type FieldError, invalid } from "@tsbuilder/apimachinery/errors";
import { isObject } from "@tsbuilder/apimachinery/json";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";

/** A CRD. Its metadata isn't needed to draw operations. */
export interface CRD {
  readonly spec: CRDSpec;
}

/** A kind, with the API server's validation of its objects. */
export interface CheckedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly schema: JSONSchema;
  /** Validates an object, or the update of another one. */
  readonly errors: (object: UserObject, old?: UserObject) => FieldError[];
}

/** Returns the kind that a CRD defines, in its storage version. */
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

  /** Rejects a negative number of replicas, as the API server does for kinds with a scale subresource. */
  function scaleErrors(object: UserObject): FieldError[] {
    const path = version.subresources?.scale?.specReplicasPath.replace(/^\./, "") ?? "";
    const replicas = path.split(".").reduce<unknown>((value, name) => isObject(value) && value[name], object);
    return Number(replicas) < 0 ? [invalid(path, replicas, "should be a non-negative integer")] : [];
  }
}

/** An object as a user writes it: without status, and without metadata that the server sets. */
export interface UserObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}
