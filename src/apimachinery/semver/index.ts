export { compareSemver, parseSemver, type Semver } from "./semver.ts";
