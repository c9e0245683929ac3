import { expect, test } from "vitest";
import {
  type Release,
  builtinResources,
  deprecationOf,
  findKind,
  isGateOn,
  loadSchemas,
  releases,
} from "./index.ts";
import { goFieldsOf } from "./go-fields.ts";

test("a kind is in the list of the releases that serve it", () => {
  const bundles = { group: "certificates.k8s.io", version: "v1" };
  expect(releases.filter((release) => findKind(bundles, "ClusterTrustBundle", release))).toEqual(["1.37"]);
  expect(builtinResources("1.37").length).toBeGreaterThan(builtinResources("1.36").length);
  expect(builtinResources("1.36")).toBe(builtinResources());
  const policies = { group: "admissionregistration.k8s.io", version: "v1" };
  expect(releases.filter((release) => findKind(policies, "MutatingAdmissionPolicy", release))).toEqual([
    "1.36",
    "1.37",
  ]);
  const names = builtinResources("1.37").map(({ apiVersion, plural }) => `${apiVersion}/${plural}`);
  expect(new Set(names).size).toBe(names.length);
  expect(names.indexOf("certificates.k8s.io/v1/clustertrustbundles")).toBe(
    names.indexOf("certificates.k8s.io/v1/certificatesigningrequests") + 1,
  );
});

test("a resource that releases serve differently is there once in each", () => {
  const nodes = (release: Release) =>
    findKind({ group: "storage.k8s.io", version: "v1" }, "CSINode", release)!;
  expect(nodes("1.36").subresources).toEqual([]);
  expect(nodes("1.37").subresources.map(({ name }) => name)).toEqual(["status"]);
});

test("the schemas of a release have its fields, gates and values", async () => {
  const read = async (type: string, release: Release) => {
    const [module = "", name = ""] = type.split(".");
    return (await loadSchemas(module, { release }))!.get(name)!.properties!;
  };
  const strategy = "apps/v1.RollingUpdateStatefulSetStrategy";
  expect((await read(strategy, "1.36"))["maxUnavailable"]!.featureGates).toBe("MaxUnavailableStatefulSet");
  expect((await read(strategy, "1.37"))["maxUnavailable"]!.featureGates).toBeUndefined();
  expect(await read("core/v1.NodeSystemInfo", "1.36")).not.toHaveProperty("runningInUserNamespace");
  expect(await read("core/v1.NodeSystemInfo", "1.37")).toHaveProperty("runningInUserNamespace");
  expect((await read("apps/v1.StatefulSetUpdateStrategy", "1.37"))["type"]!.enum).toContain("Recreate");
  const metadata = (await read("apps/v1.Deployment", "1.37"))["metadata"]!;
  expect(metadata.properties).toHaveProperty("labels");
  expect((await loadSchemas("certificates/v1"))!.get("ClusterTrustBundle")).toBeUndefined();
});

test("Go declares the fields of all releases, each where its release has it", async () => {
  const status = (await loadSchemas("core/v1"))!.get("NodeAllocatableResourceClaimStatus")!;
  expect([...goFieldsOf(status).keys()]).toEqual([
    "resourceClaimName",
    "containers",
    "mapping",
    "overhead",
    "resources",
  ]);
});

test("isGateOn() returns whether a release has a feature on by default", () => {
  expect(releases.filter((release) => isGateOn("HPAScaleToZero", release))).toEqual(["1.37"]);
  expect(releases.filter((release) => isGateOn("StrictIPCIDRValidation", release))).toEqual(["1.36", "1.37"]);
  expect(() => isGateOn("Bogus", "1.36")).toThrow("no feature gate Bogus");
});

test.each([
  ["v1", "Endpoints", "1.36", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
  ["v1", "Endpoints", "1.32", undefined],
  [
    "networking.k8s.io/v1beta1",
    "IPAddress",
    "1.36",
    "networking.k8s.io/v1beta1 IPAddress is deprecated in v1.34+, unavailable in v1.37+",
  ],
  ["v1", "Pod", "1.37", undefined],
])("the warning about %s %s in %s", (apiVersion, kind, release, warning) => {
  expect(deprecationOf(apiVersion, kind, release)).toBe(warning);
});
