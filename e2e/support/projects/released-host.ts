import { vendorPackages } from "../../../src/cli/packages/vendor-packages.ts";
import type { Host } from "../../../src/cli/packages/host.ts";
import { newerHost } from "./newer-host.ts";

/** A tsbuilder of a registry, which scaffolds the lock file too, with what an older one scaffolded. */
export function releasedHost(version: string, baseline: Readonly<Record<string, string>> = {}): Host {
  return {
    ...newerHost(baseline, version),
    vendorPackages: async () => vendorPackages({ folder: "", version, isReleased: true }),
  };
}
