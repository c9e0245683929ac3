import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type CustomResource, defineKind } from "@tsbuilder/apimachinery/meta";
import type { Conversion } from "../webhook/webhooks.ts";
import { checkRoundTrip, checkRoundTrips } from "./check-round-trips.ts";

interface Hub extends CustomResource<{ replicas?: number }> {}
interface Spoke extends CustomResource<{ size: number; note?: string }> {}

const spoke = (spec: Spoke["spec"]): Spoke => ({
  apiVersion: "example.com/v1beta1",
  kind: "Disk",
  metadata: { name: "a", annotations: { keep: "me" } },
  spec,
});

test("checkRoundTrip() accepts a lossless conversion, and names what another one loses", () => {
  const lossy: Conversion<Hub, Spoke> = {
    toHub: ({ spec: { size } }) => ({ spec: { replicas: size } }),
    fromHub: ({ spec: { replicas = 0 } }) => ({ spec: { size: replicas } }),
  };
  expect(() => checkRoundTrip(lossy, spoke({ size: 1 }), spoke({ size: 2 }))).not.toThrow();
  expect(() => checkRoundTrip(lossy, spoke({ size: 1, note: "x" }))).toThrow(
    'example.com/v1beta1 Disk by way of the hub came back changed: [{"op":"remove","path":"/spec/note"}]',
  );

  const careful: Conversion<Hub, Spoke> = {
    toHub: ({ metadata, spec: { size, note } }) => ({
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...(note && { note }) } },
      spec: { replicas: size },
    }),
    fromHub({ metadata, spec: { replicas = 0 } }) {
      const { note, ...annotations } = metadata.annotations ?? {};
      return { metadata: { ...metadata, annotations }, spec: { size: replicas, ...(note && { note }) } };
    },
  };
  expect(() => checkRoundTrip(careful, spoke({ size: 1, note: "x" }))).not.toThrow();
});

const crd = {
  kind: "CustomResourceDefinition",
  spec: {
    group: "example.com",
    names: { kind: "Disk" },
    versions: [
      version("v1", {
        replicas: { type: "integer", minimum: 0 },
        mode: { type: "string", enum: ["Fast", "Safe"] },
      }),
      version("v1beta1", {
        size: { type: "integer", minimum: 0, default: 1 },
        note: { type: "string", maxLength: 20 },
      }),
    ],
  },
};

function version(name: string, properties: object) {
  const spec = { type: "object", properties };
  return { name, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } };
}

const DiskHub = defineKind<Hub>({ group: "example.com", version: "v1" }, { kind: "Disk", plural: "disks" });
const Disk = defineKind<Spoke>(
  { group: "example.com", version: "v1beta1" },
  { kind: "Disk", plural: "disks" },
);

test("checkRoundTrips() draws objects of both versions, and shows the smallest one that is changed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "round-trips-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "disks.json"), JSON.stringify(crd));
  const check = (conversion: Conversion<Hub, Spoke>, only?: (object: Hub | Spoke) => boolean) =>
    checkRoundTrips(conversion, { hub: DiskHub, spoke: Disk, crds: folder, only });

  const lossy: Conversion<Hub, Spoke> = {
    toHub: ({ spec: { size } }) => ({ spec: { replicas: size } }),
    fromHub: ({ spec }) => ({ spec: { size: spec?.replicas ?? 1 } }),
  };
  await expect(check(lossy)).rejects.toThrow(
    'example.com/v1 Disk by way of v1beta1 comes back changed by [{"op":"add","path":"/spec","value":{"replicas":1}}]',
  );
  const withSpec = ({ spec }: Hub | Spoke) => spec !== undefined && !("replicas" in spec && "mode" in spec);
  await expect(check(lossy, withSpec)).rejects.toThrow("comes back changed by");

  const annotated: Conversion<Hub, Spoke> = {
    toHub: ({ metadata, spec }: Spoke) => {
      const { original, ...annotations } = metadata.annotations ?? {};
      return original === undefined
        ? { metadata: { ...metadata, annotations: { kept: JSON.stringify({ spec }) } } }
        : { metadata: { ...metadata, annotations }, ...(JSON.parse(original) as object) };
    },
    fromHub: ({ metadata, spec }: Hub) => {
      const { kept, ...annotations } = metadata.annotations ?? {};
      return kept === undefined
        ? { metadata: { ...metadata, annotations: { original: JSON.stringify({ spec }) } } }
        : { metadata: { ...metadata, annotations }, ...(JSON.parse(kept) as object) };
    },
  } as never;
  await expect(check(annotated)).resolves.toBeUndefined();
  await expect(check(annotated, () => false)).rejects.toThrow(
    'no valid Disk of v1 was drawn: say in "values" what its fields may hold',
  );
});

test("checkRoundTrips() draws the values that it is given", async () => {
  const folder = mkdtempSync(join(tmpdir(), "round-trips-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "disks.json"), JSON.stringify(crd));
  const seen = new Set<unknown>();
  const conversion: Conversion<Hub, Spoke> = {
    toHub: ({ spec }) => ({ spec: { replicas: spec.size } }),
    fromHub({ spec }) {
      seen.add(spec.replicas);
      return { spec: { size: spec.replicas! } };
    },
  };
  const values = { hub: { "spec.replicas": [77] }, spoke: { "spec.size": [88] } };
  const only = ({ spec }: Hub | Spoke): boolean =>
    "replicas" in (spec ?? {}) ? !("mode" in spec) : "size" in (spec ?? {}) && !("note" in spec);
  await checkRoundTrips(conversion, { hub: DiskHub, spoke: Disk, crds: folder, values, only });
  expect(seen).toEqual(new Set([1, 77, 88]));
});
