export { compareVersions, parseVersion, type Stability, type VersionParts } from "./version.ts";
export {
  checkConditionReason,
  checkLabel,
  checkLabel1035,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
  label1035Pattern,
  labelPattern,
  qualifiedNamePattern,
  subdomainPattern,
} from "./dns.ts";
export { pluralize } from "./pluralize.ts";
export { type MissingPermission, missingPermission } from "./rbac-marker.ts";
