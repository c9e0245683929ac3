import {
  type Release,
  compareReleases,
  defaultRelease,
  isGateOn,
  releases,
} from "@tsbuilder/apimachinery/kinds";

/** The environment variable with the release for clusters that are started without one. */
const releaseVariable = "TSBUILDER_KUBERNETES_VERSION";

let served: Release | undefined;

/** Returns the release of Kubernetes that the clusters of this process serve; from the first call on, it is fixed. */
export function servedRelease(): Release {
  return (served ??= checkRelease(process.env[releaseVariable] || defaultRelease));
}

/** Chooses the release. All clusters of a process serve the same one, so that its tables and rules exist once. */
export function serveRelease(version: string | undefined): void {
  if (version === undefined) return;
  const release = checkRelease(version);
  served ??= release;
  if (served !== release)
    throw new RangeError(`this process serves Kubernetes ${served} already: start ${release} in another one`);
}

/** Returns whether the served release is this one or a newer one. */
export function servesSince(release: Release): boolean {
  return compareReleases(servedRelease(), release) >= 0;
}

/** Returns the words of a rule that Kubernetes has generated since 1.37 from a tag of the field: its error has none since. */
export function untilDeclared(detail: string): string {
  return servesSince("1.37") ? "" : detail;
}

/** Returns whether a feature of the served release is on by default. */
export function isFeatureOn(gate: string): boolean {
  return isGateOn(gate, servedRelease());
}

/** Returns the release of a version such as `1.36` or `v1.36.3`. */
function checkRelease(version: string): Release {
  const release = releases.find((known) => known === /^v?(\d+\.\d+)(?:\.\d+)?$/u.exec(version)?.[1]);
  if (release !== undefined) return release;
  throw new RangeError(`there is no embedded Kubernetes "${version}": choose one of ${releases.join(", ")}`);
}

/** Returns the Kubernetes version that the server reports; clients compare major and minor. */
export function versionInfo(release = servedRelease()) {
  const minor = Number(release.slice("1.".length));
  return {
    major: "1",
    minor: String(minor),
    emulationMajor: "1",
    emulationMinor: String(minor),
    minCompatibilityMajor: "1",
    minCompatibilityMinor: String(minor - 1),
    gitVersion: `v${release}.0+tsbuilder`,
    gitCommit: "0000000000000000000000000000000000000000",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "none",
    compiler: "tsbuilder",
    platform: "any/any",
  } as const;
}
