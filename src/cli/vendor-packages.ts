import { readVendorTarballs } from "../packaging/vendor.ts";
import type { VendorPackages } from "./host.ts";

/**
 * Our packages are not published yet, and a registry must never be asked for their names, so a project carries them as
 * tarballs. Once this is true, projects use version ranges.
 */
const isPublished = false;

export function vendorPackages(): VendorPackages {
  const tarballs = readVendorTarballs();
  const specifier = (name: Parameters<typeof tarballs.get>[0]): string => {
    const { version, fileName } = tarballs.get(name)!;
    return isPublished ? `^${version}` : `file:vendor/${fileName}`;
  };
  return {
    packages: {
      runtime: specifier("@tsbuilder/runtime"),
      cluster: specifier("@tsbuilder/cluster"),
      simulation: specifier("@tsbuilder/simulation"),
      tsbuilder: specifier("tsbuilder"),
    },
    files: new Map(
      isPublished ? [] : [...tarballs.values()].map(({ fileName, bytes }) => [`vendor/${fileName}`, bytes]),
    ),
  };
}
