import { type Catalog, handleDiscovery, pathIndex } from "../discovery/handle-discovery.ts";
import type { AggregatedAPIs } from "../handlers/connect/aggregated-apis.ts";
import { dispatch } from "../handlers/dispatch.ts";
import { OpenAPI } from "../openapi/openapi.ts";
import type { Core } from "../registry/core.ts";
import { badRequest, methodNotAllowed, resourceNotServed } from "../contract/status-error.ts";
import {
  type Handler,
  type Reply,
  type RequestContext,
  jsonReply,
  textReply,
} from "../http/request-context.ts";
import { versionInfo } from "../contract/version.ts";

/** Makes the handler behind the filters: resources, discovery, OpenAPI, health and version. */
export function apiHandler(core: Core, aggregated: AggregatedAPIs): Handler {
  const openapi = new OpenAPI(core);
  const catalog = { registry: core.registry, remote: () => aggregated.versions() };
  return async (context) => {
    const passed = aggregated.handle(context);
    if (passed) return passed;
    if (context.info.isResource) return handleResource(core, context);
    if (context.info.path === imagesPath && context.method === "POST") return loadImages(core, context);
    if (context.method !== "GET" && context.method !== "HEAD") throw methodNotAllowed();
    return (
      handleDiscovery(catalog, context) ??
      (await openapi.handle(context)) ??
      handlePath(core, catalog, context)
    );
  };
}

/** Where `tsbuilder load` sends archives of images: Kubernetes has no such path. */
const imagesPath = "/tsbuilder.dev/images";

async function loadImages({ loadImages }: Core, { request }: RequestContext): Promise<Reply> {
  if (!loadImages || !request.incoming) return textReply("this cluster has no nodes with containers\n", 404);
  await loadImages(request.incoming).catch((error: Error) => {
    throw badRequest(`the archive can't be loaded: ${error.message}`);
  });
  return textReply("loaded\n");
}

const notFoundText = "404 page not found\n";

/** Passes a request to its resource. An unknown group is a plain 404, an unknown version or resource a Status. */
function handleResource(core: Core, context: RequestContext): ReturnType<Handler> {
  const { group, version } = context.info;
  if (!core.registry.servesGroup(group)) return textReply(notFoundText, 404);
  if (!core.registry.servesGroupVersion(group, version)) throw resourceNotServed();
  return dispatch(core, context);
}

const healthPaths = new Set(["healthz", "livez", "readyz"]);

/** Handles GET of the paths that belong to no resource. An unknown one is a plain 404, as Go's server sends it. */
function handlePath(core: Core, catalog: Catalog, { info, query }: RequestContext) {
  const [root = "", ...rest] = info.path.split("/").filter((part) => part !== "");
  if (healthPaths.has(root)) {
    if (rest.length === 0 && query.has("verbose")) {
      return textReply(`[+]ping ok\n[+]storage ok\n${root} check passed\n`);
    }
    if (rest.length === 0 || rest[0] === "ping") return textReply("ok");
  }
  if (info.path === "/" || info.path === "/index.html") return jsonReply(pathIndex(catalog));
  if (info.path === "/version" || info.path === "/version/") return jsonReply(versionInfo());
  if (info.path === "/openid/v1/jwks") return jsonReply(core.tokens.keys());
  if (info.path === "/.well-known/openid-configuration") return jsonReply(openidConfiguration(core));
  const isGroupVersion = root === "apis" && rest.length === 2 && core.registry.servesGroup(rest[0]!);
  if (isGroupVersion) throw resourceNotServed();
  return textReply(notFoundText, 404);
}

function openidConfiguration({ tokens }: Core): object {
  return {
    issuer: tokens.issuer,
    jwks_uri: `${tokens.issuer}/openid/v1/jwks`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [tokens.algorithm],
  };
}
