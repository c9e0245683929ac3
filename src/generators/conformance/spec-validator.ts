import { compileValidator } from "@tsbuilder/apimachinery/cel";
import { formatFieldError } from "@tsbuilder/apimachinery/errors";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { checkCrd } from "../crd/check-crd.ts";
import { toJson } from "../crd/to-json.ts";
import { DiagnosticLog } from "../diagnostic.ts";
import type { GeneratorOptions } from "../options.ts";
import { runExample } from "./example.ts";

/** What keeps the types of an example from becoming a CRD that an API server accepts. */
export class TypesError extends Error {
  override readonly name = "TypesError";
}

/** The errors of an API server for a spec; empty if it accepts it. */
export type SpecValidator = (spec: unknown) => string[];

/** Makes a CRD of an example's types, and validates specs as an API server with this CRD does. Throws a TypesError. */
export async function specValidator(code: string, options: GeneratorOptions = {}): Promise<SpecValidator> {
  const { generated, diagnostics } = await runExample(code, options);
  const log = new DiagnosticLog();
  if (generated) checkCrd(generated, log);
  const errors = [...diagnostics, ...log.sorted()].filter(({ severity }) => severity === "error");
  if (!generated || errors.length > 0) throw new TypesError(errors.map(({ message }) => message).join("\n"));
  const schema = toJson(generated.crd.spec.versions[0]!.schema.openAPIV3Schema) as JSONSchema;
  const compiled = compileValidator(schema);
  return (spec) => {
    const sent = { apiVersion: "example.com/v1", kind: "Case", metadata: { name: "case" }, spec };
    const stored = compiled.applyDefaults(compiled.prune(sent).object);
    return compiled.validate(stored).map(formatFieldError);
  };
}
