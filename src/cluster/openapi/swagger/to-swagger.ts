import { compareText } from "@tsbuilder/apimachinery/text";
import { toDefinition } from "./to-definition.ts";

type Json = Record<string, unknown>;

/** What is read of an OpenAPI v3 document. */
export interface V3Document {
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

/**
 * Joins the v3 documents of all groups into the one document of OpenAPI v2, which has fewer words: a body is a
 * parameter, media types stand apart from schemas, and a schema has one type.
 */
export function toSwagger(documents: readonly V3Document[], version: string): Json {
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

function sorted(entries: readonly (readonly [string, unknown])[]): Json {
  return Object.fromEntries(entries.toSorted(([a], [b]) => compareText(a, b)));
}

function toPathItem({ parameters, ...operations }: Json): Json {
  return {
    ...Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, toOperation(operation as Json)]),
    ),
    ...(parameters !== undefined && { parameters: (parameters as Json[]).map(toParameter) }),
  };
}

function toOperation({ parameters = [], requestBody, responses, ...rest }: Json): Json {
  const body = requestBody as { content: Record<string, { schema: Json }>; required?: boolean } | undefined;
  const answers = responses as Record<
    string,
    { description: string; content?: Record<string, { schema: Json }> }
  >;
  const all = [...(body ? [toBody(body)] : []), ...(parameters as Json[]).map(toParameter)];
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

/** A patch has many forms, of which a v2 document can tell no more than that they are JSON. */
function toBody({
  content,
  required,
}: {
  content: Record<string, { schema: Json }>;
  required?: boolean;
}): Json {
  const forms = Object.values(content);
  const schema = forms.length === 1 ? toDefinition(forms[0]!.schema) : { type: "object" };
  return { name: "body", in: "body", ...(required && { required }), schema };
}

function toParameter({ schema, ...parameter }: Json): Json {
  return { ...parameter, ...(schema as Json) };
}
