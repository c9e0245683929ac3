import { jsonReply, yamlReply } from "../http/reply.ts";
import type { Reply, RequestContext } from "../http/request-context.ts";
import { badRequest } from "../contract/status-error.ts";
import type { Entry } from "../storage/entry.ts";
import { checkForm, negotiate, partialOf, type Representation, tableOf } from "./representation.ts";
import type { Target } from "./target.ts";

/** The response with one object, in the media type that the client accepts. */
export function replyObject(context: RequestContext, target: Target, entry: Entry, code = 200): Reply {
  const representation = negotiate(context.request.headers.accept, target);
  if (representation.form === "object" && !representation.yaml) {
    return { code, contentType: "application/json", body: entry.bytes };
  }
  checkForm(representation, target, false);
  const value = valueOf(context, target, entry, representation);
  return encode(value, representation, code);
}

function valueOf(
  context: RequestContext,
  target: Target,
  entry: Entry,
  { form, metaVersion }: Representation,
): unknown {
  if (form === "object") return entry.object;
  if (form === "partial") return partialOf(entry, target, metaVersion);
  return tableOf([entry], target, {
    metaVersion,
    include: includeObjectOf(context.query),
    now: target.core.clock.now(),
    withDefinitions: true,
    metadata: { resourceVersion: entry.object.metadata.resourceVersion },
  });
}

export function encode(value: unknown, { yaml }: { yaml: boolean }, code = 200): Reply {
  return (yaml ? yamlReply : jsonReply)(value, code);
}

/** How much of each object the rows of a Table include. */
export function includeObjectOf(query: URLSearchParams): "None" | "Metadata" | "Object" {
  const value = query.get("includeObject") || "Metadata";
  if (value === "None" || value === "Metadata" || value === "Object") return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}
