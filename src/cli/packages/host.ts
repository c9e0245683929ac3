// tsbuilder's own packages and their dependencies in a project: what this tsbuilder puts into new projects,
// `package.json` and the lock file, and how they are installed. Begin here: commands get these as the `Host`, which
// tests replace.

import { findOwnPackage } from "../../packaging/own-package.ts";
import type { VendorPackages } from "./vendor-packages.ts";

/** The running tsbuilder, as commands see it; tests pass another one. */
export interface Host {
  version(): string;
  /** Returns tsbuilder's packages for a new or upgraded project. */
  vendorPackages(): Promise<VendorPackages>;
  /** Returns the files that the tsbuilder in a project's dependencies scaffolds, which must have the given version. */
  baseline(
    project: string,
    version: string,
    plan: { readonly isShown: boolean },
  ): Promise<ReadonlyMap<string, string>>;
}

/** The installed tsbuilder, or the one built in this repository. */
export const thisTsbuilder: Host = {
  version: () => findOwnPackage().version,
  vendorPackages: async () => (await import("./vendor-packages.ts")).vendorPackages(),
  baseline: async (project, version, plan) =>
    (await import("./read-baseline.ts")).readBaseline(project, version, plan),
};
