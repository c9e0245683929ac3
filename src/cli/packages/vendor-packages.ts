import { type LockedPackage, formatLock, lockVendored } from "../../packaging/lock-file.ts";
import { findOwnPackage } from "../../packaging/own-package.ts";
import { ownPackageNames, readVendorTarballs } from "../../packaging/vendor.ts";
import type { PackageSpecifiers } from "../../plugins/contract/plugin.ts";

/** The specifiers of tsbuilder's packages in a new project, and the tarballs that they refer to. */
export interface VendorPackages {
  readonly packages: PackageSpecifiers;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The lock file of a project; undefined if the package manager can't install tsbuilder's own packages. */
  readonly lock?: (manager: string, projectName: string, further?: readonly string[]) => string | undefined;
}

/**
 * Returns the packages that projects of this tsbuilder depend on: ranges if it was released, and else tarballs in the
 * project, since a registry must never be asked for names that we have not published. tsbuilder itself is pinned,
 * because only the version that scaffolded a project has its templates.
 */
export function vendorPackages(own = findOwnPackage()): VendorPackages {
  const tarballs = own.isReleased ? undefined : readVendorTarballs(own);
  const locked = new Map(
    ownPackageNames.map((name) => {
      const tarball = tarballs?.get(name);
      return [name, tarball === undefined ? lockReleased(name, own.version) : lockVendored(tarball)] as const;
    }),
  );
  return {
    packages: {
      runtime: locked.get("@tsbuilder/runtime")!.specifier,
      cluster: locked.get("@tsbuilder/cluster")!.specifier,
      simulation: locked.get("@tsbuilder/simulation")!.specifier,
      tsbuilder: locked.get("tsbuilder")!.specifier,
    },
    files: new Map(
      [...(tarballs?.values() ?? [])].map(({ fileName, bytes }) => [`vendor/${fileName}`, bytes]),
    ),
    // Other package managers don't resolve a dependency of a tarball to another tarball.
    lock: (manager, projectName, further) =>
      tarballs === undefined || manager === "npm"
        ? formatLock(manager, projectName, locked, further)
        : undefined,
  };
}

function lockReleased(name: string, version: string): LockedPackage {
  const range = `^${version}`;
  return { version, specifier: name === "tsbuilder" ? version : range, sibling: range };
}
