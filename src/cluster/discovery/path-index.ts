import type { Registry } from "../registry/registry.ts";
import { groupsOf } from "./groups.ts";

const otherPaths = [
  "/.well-known/openid-configuration",
  "/healthz",
  "/healthz/ping",
  "/livez",
  "/livez/ping",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/",
  "/openid/v1/jwks",
  "/readyz",
  "/readyz/ping",
  "/version",
];

/** `/`: the paths of the server, sorted. */
export function pathIndex(registry: Registry): object {
  const groups = groupsOf(registry).flatMap(({ name, versions }) => {
    const root = name === "" ? "/api" : `/apis/${name}`;
    return [root, ...versions.map((version) => `${root}/${version}`)];
  });
  return { paths: [...groups, "/apis", "/apis/", ...otherPaths].sort() };
}
