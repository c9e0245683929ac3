import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { vendorPackages } from "./vendor-packages.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "own-package-"))));
afterEach(() => rmSync(folder, { recursive: true }));

test("a released tsbuilder has projects depend on ranges, and on exactly itself", () => {
  const { packages, files } = vendorPackages({ folder, version: "0.2.0", isReleased: true });
  expect(packages).toEqual({
    runtime: "^0.2.0",
    cluster: "^0.2.0",
    simulation: "^0.2.0",
    tsbuilder: "0.2.0",
  });
  expect(files).toEqual(new Map());
});

test("any other tsbuilder has them carry its packages", () => {
  const version = "0.2.0-dev.h0123456789";
  mkdirSync(join(folder, "dist/vendor"), { recursive: true });
  for (const part of ["apimachinery", "runtime", "cluster", "simulation"])
    writeFileSync(join(folder, `dist/vendor/tsbuilder-${part}-${version}.tgz`), part);
  const { packages, files } = vendorPackages({ folder, version, isReleased: false });
  expect(packages).toEqual({
    runtime: `file:vendor/tsbuilder-runtime-${version}.tgz`,
    cluster: `file:vendor/tsbuilder-cluster-${version}.tgz`,
    simulation: `file:vendor/tsbuilder-simulation-${version}.tgz`,
    tsbuilder: `file:vendor/tsbuilder-${version}.tgz`,
  });
  expect([...files.keys()]).toHaveLength(5);
});

test("without its packages it asks for a build, and never for a registry", () => {
  expect(() => vendorPackages({ folder, version: "0.2.0", isReleased: false })).toThrow(
    "tsbuilder's own packages not found",
  );
});
