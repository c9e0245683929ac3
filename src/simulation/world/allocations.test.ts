import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { expect, test } from "vitest";
import { withoutAllocations } from "./allocations.ts";

const podWith = (name: string, ip: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, generateName: "web-", ownerReferences: [{ name: "web" }] },
  status: { podIPs: [{ ip }] },
});

test("an address that an operator copied stands for the pod or Service that has it", () => {
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "db" } };
  const copy = { apiVersion: "v1", kind: "Copy", metadata: { name: "a" } };
  const objects = [
    podWith("web-1", "10.0.0.1"),
    podWith("web-2", "10.0.0.2"),
    { ...service, spec: { clusterIPs: ["None", "10.1.0.1"] } },
    { ...copy, status: { ips: ["10.0.0.2", "10.1.0.1", "10.9.9.9", "None"] } },
  ] as unknown as KubernetesObject[];
  const pod = "the address of Pod of web";
  expect(withoutAllocations(objects).at(-1)).toEqual({
    ...copy,
    status: { ips: [pod, "the address of Service db", "10.9.9.9", "None"] },
  });
});
