import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { compareText } from "@tsbuilder/apimachinery/text";
import { toDefinition } from "./to-definition.ts";

/** The parts of an OpenAPI v3 document that are converted. */
export interface V3Document {
  readonly paths: Readonly<Record<string, JSONObject<unknown>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JSONObject<unknown>>> };
}

/**
 * Joins the v3 documents of all groups into one OpenAPI v2 document, which has fewer keywords: a body is a parameter,
 * media types are separate from schemas, and a schema has one type.
 */
export function toSwagger(documents: readonly V3Document[], version: string): JSONObject<unknown> {
  const paths = documents.flatMap((document) => Object.entries(document.paths));
  const definitions = documents.flatMap((document) => Object.entries(document.components.schemas));
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version },
    paths: sorted(paths.map(([path, item]) => [path, toPathItem(item)])),
    definitions: sorted(definitions.map(([name, schema]) => [name, toDefinition(schema)])),
    securityDefinitions: {
      BearerToken: {
        description: "Bearer Token authentication",
        type: "apiKey",
        name: "authorization",
        in: "header",
      },
    },
    security: [{ BearerToken: [] }],
  };
}

function sorted(entries: readonly (readonly [string, unknown])[]): JSONObject<unknown> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => compareText(a, b)));
}

function toPathItem({ parameters, ...operations }: JSONObject<unknown>): JSONObject<unknown> {
  return {
    ...Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        toOperation(operation as JSONObject<unknown>),
      ]),
    ),
    ...(parameters !== undefined && { parameters: (parameters as JSONObject<unknown>[]).map(toParameter) }),
  };
}

function toOperation({
  parameters = [],
  requestBody,
  responses,
  ...rest
}: JSONObject<unknown>): JSONObject<unknown> {
  const body = requestBody as
    | { content: Record<string, { schema: JSONObject<unknown> }>; required?: boolean }
    | undefined;
  const answers = responses as Record<
    string,
    { description: string; content?: Record<string, { schema: JSONObject<unknown> }> }
  >;
  const all = [...(body ? [toBody(body)] : []), ...(parameters as JSONObject<unknown>[]).map(toParameter)];
  return {
    ...rest,
    consumes: body ? Object.keys(body.content) : ["*/*"],
    produces: ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"],
    schemes: ["https"],
    ...(all.length > 0 && { parameters: all }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([code, { description, content = {} }]) => {
        const schema = Object.values(content)[0]?.schema;
        return [code, { description, ...(schema && { schema: toDefinition(schema) }) }];
      }),
    ),
  };
}

/** A patch has several media types; in v2 its schema can only be any JSON. */
function toBody({
  content,
  required,
}: {
  content: Record<string, { schema: JSONObject<unknown> }>;
  required?: boolean;
}): JSONObject<unknown> {
  const forms = Object.values(content);
  const schema = forms.length === 1 ? toDefinition(forms[0]!.schema) : { type: "object" };
  return { name: "body", in: "body", ...(required && { required }), schema };
}

function toParameter({ schema, ...parameter }: JSONObject<unknown>): JSONObject<unknown> {
  return { ...parameter, ...(schema as JSONObject<unknown>) };
}
