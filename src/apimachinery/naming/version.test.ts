import { expect, test } from "vitest";
import { compareVersions, parseVersion } from "./version.ts";

test.each([
  ["v1", { major: 1, stability: "stable", minor: 0 }],
  ["v2beta3", { major: 2, stability: "beta", minor: 3 }],
  ["v10alpha12", { major: 10, stability: "alpha", minor: 12 }],
])("parseVersion(%s) returns its parts", (version, parts) => {
  expect(parseVersion(version)).toEqual(parts);
});

test.each(["", "v", "v0", "1", "V1", "v1gamma1", "v1beta", "v1beta0", "v1.2", "v01"])(
  "parseVersion() returns undefined for %j",
  (version) => {
    expect(parseVersion(version)).toBeUndefined();
  },
);

test("compareVersions() sorts by stability, then by number; other names come last, by name", () => {
  const versions = [
    "foo1",
    "v1alpha1",
    "v11beta2",
    "v2",
    "v10beta3",
    "v1",
    "foo10",
    "v12alpha1",
    "v11alpha2",
    "v3beta1",
  ];
  expect(versions.toSorted(compareVersions)).toEqual([
    "v2",
    "v1",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v12alpha1",
    "v11alpha2",
    "v1alpha1",
    "foo1",
    "foo10",
  ]);
});

test("compareVersions() accepts numbers that parseVersion() rejects, as the API server does", () => {
  expect(["v1alpha0", "v1alpha1", "v0", "v01beta1"].toSorted(compareVersions)).toEqual([
    "v0",
    "v01beta1",
    "v1alpha1",
    "v1alpha0",
  ]);
});
