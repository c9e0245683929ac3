export { compareVersions, parseVersion, type Stability, type VersionParts } from "./version.ts";
export * from "./dns.ts";
export { pluralize } from "./pluralize.ts";
export { type MissingPermission, missingPermission } from "./rbac-marker.ts";
