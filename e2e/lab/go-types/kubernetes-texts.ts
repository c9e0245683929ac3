import { type BuiltinSchema, loadSchemas, schemaModules } from "../../../src/apimachinery/kinds/index.ts";
import { inOneLine } from "./classify.ts";

let known: ReadonlySet<string> | undefined;

/** The descriptions of all of Kubernetes' own types and fields, each in one line. */
export async function kubernetesTexts(): Promise<ReadonlySet<string>> {
  if (known) return known;
  const seen = new Set<BuiltinSchema>();
  const texts = new Set<string>();
  const visit = (schema: BuiltinSchema | undefined): void => {
    if (!schema || seen.has(schema)) return;
    seen.add(schema);
    if (schema.description !== undefined) texts.add(inOneLine(schema.description));
    for (const part of [schema.items, schema.additionalProperties]) visit(part);
    for (const property of Object.values(schema.properties ?? {})) visit(property);
  };
  for (const module of schemaModules) {
    const table = await loadSchemas(module, { descriptions: true });
    for (const name of table?.typeNames ?? []) visit(table?.get(name));
  }
  return (known = texts);
}
