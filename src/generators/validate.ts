import { compileValidator } from "@tsbuilder/apimachinery/cel";
import { type FieldError, formatFieldError, type JSONSchema } from "@tsbuilder/apimachinery/schema";
import { parseAllDocuments } from "yaml";
import { TsbuilderError } from "../shared/errors.ts";

/** Judges objects as the API server would with these CRDs: schema, defaults and CEL rules. */
export interface Validator {
  /** What is wrong with an object, or with the change from `old`; empty if nothing is. */
  validate(object: KindedObject, old?: KindedObject): string[];
}

interface KindedObject {
  readonly apiVersion: string;
  readonly kind: string;
}

interface CrdManifest {
  readonly kind?: string;
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: JSONSchema };
    }[];
  };
}

/** Reads CRDs from YAML; what they hold is compiled once and used for many objects. */
export function createValidator(...manifests: readonly string[]): Validator {
  const compiled = new Map<string, ReturnType<typeof compileValidator>>();
  for (const document of manifests.flatMap((text) => parseAllDocuments(text))) {
    const crd = document.toJS() as CrdManifest | null;
    if (crd?.kind !== "CustomResourceDefinition") continue;
    const { group, names, versions } = crd.spec;
    for (const { name, schema } of versions) {
      compiled.set(`${group}/${name} ${names.kind}`, compileValidator(schema.openAPIV3Schema));
    }
  }
  return {
    validate(object, old) {
      const validator = compiled.get(`${object.apiVersion} ${object.kind}`);
      if (!validator) {
        throw new TsbuilderError(`there is no CRD for ${object.kind} of ${object.apiVersion}`, {
          code: "NOT_FOUND",
          hint: `there are: ${[...compiled.keys()].join(", ") || "none"}`,
        });
      }
      const withDefaults = validator.applyDefaults(object);
      const errors = validator.validate(
        withDefaults,
        old === undefined ? {} : { old: validator.applyDefaults(old) },
      );
      return errors.map((error: FieldError) => formatFieldError(error));
    },
  };
}
