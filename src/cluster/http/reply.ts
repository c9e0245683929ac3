import { type YamlValue, emitYaml } from "@tsbuilder/apimachinery/yaml";
import type { Reply, RequestContext } from "./request-context.ts";

export const jsonType = "application/json";

/** A response with a JSON body. */
export function jsonReply(value: unknown, code = 200, headers?: Record<string, string>): Reply {
  return {
    code,
    contentType: jsonType,
    body: Buffer.from(JSON.stringify(value)),
    ...(headers && { headers }),
  };
}

/** A response with a YAML body, as Go prints it. */
export function yamlReply(value: unknown, code = 200, headers?: Record<string, string>): Reply {
  return {
    code,
    contentType: "application/yaml",
    body: Buffer.from(emitYaml(value as YamlValue)),
    ...(headers && { headers }),
  };
}

export function textReply(body: string, code = 200): Reply {
  return { code, contentType: "text/plain; charset=utf-8", body };
}

/** A response in the media type that the client prefers of JSON and YAML. */
export function preferredReply(context: RequestContext, value: unknown, code = 200): Reply {
  return (prefersYAML(context.request.headers.accept) ? yamlReply : jsonReply)(value, code);
}

/** Returns true if a client prefers YAML to JSON for objects that have one form only, such as errors. */
export function prefersYAML(accept: string | undefined): boolean {
  return readAccept(accept ?? "").find(({ options }) => !options.has("as"))?.yaml ?? false;
}

/** A clause of an Accept header that asks for JSON or YAML. */
interface AcceptClause {
  readonly yaml: boolean;
  readonly options: ReadonlyMap<string, string>;
}

const jsonTypes: readonly string[] = ["application/json", "application/*", "*/*"];

/** Caches parsed headers: all requests of a client have the same one. */
const known = new Map<string, readonly AcceptClause[]>();

const mostKnown = 100;

/** Returns the clauses of an Accept header that the server can write, in the client's order of preference. */
export function readAccept(accept: string): readonly AcceptClause[] {
  const clauses = known.get(accept) ?? parseAccept(accept);
  if (known.size < mostKnown) known.set(accept, clauses);
  return clauses;
}

function parseAccept(accept: string): readonly AcceptClause[] {
  const clauses = accept.split(",").flatMap((clause) => {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim());
    const mediaType = type.toLowerCase();
    const yaml = mediaType === "application/yaml";
    if (!yaml && !jsonTypes.includes(mediaType)) return [];
    return [{ yaml, options: new Map(parameters.map((each) => each.split("=") as [string, string])) }];
  });
  return clauses.toSorted((a, b) => qualityOf(b) - qualityOf(a));
}

function qualityOf({ options }: AcceptClause): number {
  const quality = Number(options.get("q") ?? 1);
  return Number.isNaN(quality) ? 1 : quality;
}
