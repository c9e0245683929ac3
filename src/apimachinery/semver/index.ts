export { compareSemver, parseSemver, releaseTags, type Semver } from "./semver.ts";
