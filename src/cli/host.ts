import { findOwnPackage } from "../packaging/own-package.ts";
import type { PackageSpecifiers } from "../plugins/plugin.ts";

/** The tsbuilder that runs: what it is, and the packages that it gives to new projects. */
export interface Host {
  version(): string;
  vendorPackages(): Promise<VendorPackages>;
  /** What the tsbuilder of a project has scaffolded there. */
  baseline(project: string): Promise<ReadonlyMap<string, string>>;
}

/** How a new project names our packages, and the files that it needs for that. */
export interface VendorPackages {
  readonly packages: PackageSpecifiers;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** The one that was installed, or built here. */
export const thisTsbuilder: Host = {
  version: () => findOwnPackage().version,
  vendorPackages: async () => (await import("./vendor-packages.ts")).vendorPackages(),
  baseline: async (project) => (await import("./read-baseline.ts")).readBaseline(project),
};
