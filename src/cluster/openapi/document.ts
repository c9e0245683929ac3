import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { compareText } from "@tsbuilder/apimachinery/text";
import type { SchemaWriter } from "./schema-writer.ts";

/** An OpenAPI v3 document with some paths, and with the definitions that they refer to. */
export function writeDocument(
  paths: Readonly<Record<string, JSONObject<unknown>>>,
  { definitions }: SchemaWriter,
  { custom = false } = {},
): JSONObject<unknown> {
  return {
    openapi: "3.0.0",
    info: custom
      ? { title: "Kubernetes CRD Swagger", version: "v0.1.0" }
      : { title: "Kubernetes", version: "1.36" },
    paths: sorted(paths),
    components: {
      ...(Object.keys(definitions).length > 0 && { schemas: sorted(definitions) }),
      ...(!custom && { securitySchemes: { BearerToken: bearerToken } }),
    },
  };
}

const bearerToken = {
  type: "apiKey",
  description: "Bearer Token authentication",
  name: "authorization",
  in: "header",
};

function sorted(entries: Readonly<Record<string, JSONObject<unknown>>>): Record<string, JSONObject<unknown>> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => compareText(a, b)));
}
