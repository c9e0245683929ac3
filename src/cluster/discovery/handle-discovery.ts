import { createHash } from "node:crypto";
import type { Registry } from "../registry/registry.ts";
import type { Reply, RequestContext } from "../http/request-context.ts";
import { preferredReply } from "../http/reply.ts";
import { aggregatedDiscovery } from "./aggregated.ts";
import { coreVersions, groupDocument, groupList, resourceList } from "./legacy.ts";

/** Answers `/api`, `/apis` and the paths of groups and versions below them; undefined for other paths. */
export function handleDiscovery(registry: Registry, context: RequestContext): Reply | undefined {
  const parts = context.info.path.split("/").filter((part) => part !== "");
  const [root, first, second] = parts;
  if ((root !== "api" && root !== "apis") || parts.length > (root === "api" ? 2 : 3)) return undefined;
  if (parts.length === 1) return rootDocument(registry, context, root === "api");
  const found =
    root === "api"
      ? resourceList(registry, "", first!)
      : second === undefined
        ? groupDocument(registry, first!)
        : resourceList(registry, first!, second);
  return found && preferredReply(context, found);
}

function rootDocument(registry: Registry, context: RequestContext, core: boolean): Reply {
  const version = aggregatedVersion(context.request.headers.accept ?? "");
  if (!version) {
    const address = context.request.headers.host ?? "";
    return preferredReply(context, core ? coreVersions(address) : groupList(registry));
  }
  const body = Buffer.from(JSON.stringify(aggregatedDiscovery(registry, core, version)));
  const etag = `"${createHash("sha512").update(body).digest("hex").toUpperCase()}"`;
  const headers = { ETag: etag, Vary: "Accept" };
  if (context.request.headers["if-none-match"] === etag) return { code: 304, headers };
  const contentType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  return { code: 200, contentType, headers, body };
}

/** The first supported media type wins; kubectl up to 1.29 knows only v2beta1. */
function aggregatedVersion(accept: string): string | undefined {
  for (const clause of accept.split(",")) {
    const [type, ...parameters] = clause.split(";").map((part) => part.trim());
    if (type !== "application/json" && type !== "*/*") continue;
    const options = new Map(parameters.map((parameter) => parameter.split("=") as [string, string]));
    if (options.get("as") === undefined) return undefined;
    const version = options.get("v");
    const fits = options.get("g") === "apidiscovery.k8s.io" && options.get("as") === "APIGroupDiscoveryList";
    if (fits && (version === "v2" || version === "v2beta1")) return version;
  }
  return undefined;
}
