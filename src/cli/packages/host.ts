import { findOwnPackage } from "../../packaging/own-package.ts";
import type { VendorPackages } from "./vendor-packages.ts";

/** The running tsbuilder, and the packages that it puts into new projects. */
export interface Host {
  version(): string;
  vendorPackages(): Promise<VendorPackages>;
  /** Runs the tsbuilder in a project's dependencies, which must be of a version, and returns the files that it scaffolds. */
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
