import { findOwnPackage } from "../packaging/own-package.ts";
import { readVendorTarballs } from "../packaging/vendor.ts";
import type { VendorPackages } from "./host.ts";

/**
 * What projects of this tsbuilder depend on: ranges if it was released, and else tarballs that they carry, since a
 * registry must never be asked for names that we have not published. tsbuilder itself is pinned, because only the version
 * that scaffolded a project knows what it scaffolded.
 */
export function vendorPackages(own = findOwnPackage()): VendorPackages {
  const { version } = own;
  if (own.isReleased) {
    const range = `^${version}`;
    return {
      packages: { runtime: range, cluster: range, simulation: range, tsbuilder: version },
      files: new Map(),
    };
  }
  const tarballs = readVendorTarballs(own);
  const specifier = (name: Parameters<typeof tarballs.get>[0]): string =>
    `file:vendor/${tarballs.get(name)!.fileName}`;
  return {
    packages: {
      runtime: specifier("@tsbuilder/runtime"),
      cluster: specifier("@tsbuilder/cluster"),
      simulation: specifier("@tsbuilder/simulation"),
      tsbuilder: specifier("tsbuilder"),
    },
    files: new Map([...tarballs.values()].map(({ fileName, bytes }) => [`vendor/${fileName}`, bytes])),
  };
}
