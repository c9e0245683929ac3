import { expect, test } from "vitest";
import { describeRelease } from "./sbom.ts";

interface Bom {
  readonly components: readonly { readonly name: string; readonly purl: string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const library = {
  name: "@our/library",
  version: "1.0.0",
  license: "Apache-2.0",
  sha256: "00ff",
  dependencies: ["ws"],
  bundled: [],
};
const program = {
  name: "program",
  version: "1.0.0",
  license: "Apache-2.0",
  sha256: "11ff",
  dependencies: ["@our/library"],
  bundled: ["yaml 2.9.1 (ISC OR (MIT AND 0BSD))", "old 1.0.0 (no license given)"],
};
const lock = {
  "node_modules/ws": {
    version: "8.0.0",
    license: "MIT",
    integrity: "sha512-AAE=",
    optionalDependencies: { inner: "1" },
  },
  "node_modules/inner": { version: "1.1.0" },
  "node_modules/unused": { version: "2.0.0" },
};
const text = describeRelease([program, library], lock);
const bom = JSON.parse(text) as Bom;

test("names our packages, what npm installs with them, and what they have bundled", () => {
  expect(bom.components).toEqual([
    expect.objectContaining({
      purl: "pkg:npm/%40our/library@1.0.0",
      hashes: [{ alg: "SHA-256", content: "00ff" }],
    }),
    expect.objectContaining({ purl: "pkg:npm/inner@1.1.0" }),
    { "bom-ref": "old@1.0.0", type: "library", name: "old", version: "1.0.0", purl: "pkg:npm/old@1.0.0" },
    expect.objectContaining({ purl: "pkg:npm/program@1.0.0" }),
    expect.objectContaining({
      purl: "pkg:npm/ws@8.0.0",
      licenses: [{ expression: "MIT" }],
      hashes: [{ alg: "SHA-512", content: "0001" }],
    }),
    expect.objectContaining({
      purl: "pkg:npm/yaml@2.9.1",
      licenses: [{ expression: "ISC OR (MIT AND 0BSD)" }],
    }),
  ]);
});

test("says who depends on whom", () => {
  expect(Object.fromEntries(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))).toEqual({
    release: ["@our/library@1.0.0", "program@1.0.0"],
    "program@1.0.0": ["@our/library@1.0.0", "old@1.0.0", "yaml@2.9.1"],
    "@our/library@1.0.0": ["ws@8.0.0"],
    "ws@8.0.0": ["inner@1.1.0"],
    "inner@1.1.0": [],
  });
});

test("is equal for equal releases, and refuses what no lock file pins", () => {
  expect(describeRelease([program, library], lock)).toBe(text);
  expect(() => describeRelease([library], {})).toThrow("the lock file has no version of ws");
  expect(() => describeRelease([{ ...library, bundled: ["folder"] }], lock)).toThrow(
    '"folder" names no package',
  );
});
