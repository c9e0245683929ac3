import { expect, test } from "vitest";
import type { CustomResource } from "@tsbuilder/apimachinery/meta";
import type { Conversion } from "../webhook/webhooks.ts";
import { checkRoundTrip } from "./webhook-calls.ts";

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
