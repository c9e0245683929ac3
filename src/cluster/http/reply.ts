import { emitYaml, type YamlValue } from "@tsbuilder/apimachinery/yaml";
import { prefersYAML } from "./accept.ts";
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

/** A response in the media type that the client prefers of JSON and YAML. */
export function preferredReply(context: RequestContext, value: unknown, code = 200): Reply {
  return (prefersYAML(context.request.headers.accept) ? yamlReply : jsonReply)(value, code);
}

export function textReply(body: string, code = 200): Reply {
  return { code, contentType: "text/plain; charset=utf-8", body };
}
