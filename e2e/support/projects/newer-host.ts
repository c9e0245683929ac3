import type { Host } from "../../../src/cli/packages/host.ts";

/** A tsbuilder that is newer than the one that scaffolded a project, with what that one scaffolded. */
export function newerHost(baseline: Readonly<Record<string, string>>, version = "0.0.0-newer"): Host {
  return {
    version: () => version,
    vendorPackages: async () => ({
      packages: {
        runtime: `file:vendor/tsbuilder-runtime-${version}.tgz`,
        cluster: `file:vendor/tsbuilder-cluster-${version}.tgz`,
        simulation: `file:vendor/tsbuilder-simulation-${version}.tgz`,
        tsbuilder: `file:vendor/tsbuilder-${version}.tgz`,
      },
      files: new Map([[`vendor/tsbuilder-${version}.tgz`, new Uint8Array([0, 1])]]),
    }),
    baseline: async () =>
      new Map(Object.entries(baseline).filter(([path]) => !path.startsWith("node_modules/"))),
  };
}
