import { expect, test } from "vitest";
import { ApiError } from "../errors/api-error.ts";
import type { RawRequest, RawResponse } from "../http/transport.ts";
import { DiscoveryMapper } from "./live-client.ts";

/** A mapper over documents by path; a path without one is not there. */
function mapper(documents: { [path: string]: unknown }): { mapper: DiscoveryMapper; asked: string[] } {
  const asked: string[] = [];
  const send = async ({ path }: RawRequest): Promise<RawResponse> => {
    asked.push(path);
    if (!(path in documents)) throw new ApiError({ code: 503, reason: "ServiceUnavailable" });
    return { status: 200, headers: {}, text: JSON.stringify(documents[path]), stream: undefined };
  };
  return { mapper: new DiscoveryMapper(send), asked };
}

const old = {
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": {
    kind: "APIGroupList",
    groups: [
      { name: "apps", versions: [{ groupVersion: "apps/v1" }] },
      { name: "metrics.k8s.io", versions: [{ groupVersion: "metrics.k8s.io/v1beta1" }] },
    ],
  },
  "/api/v1": {
    resources: [
      { name: "pods", kind: "Pod", namespaced: true },
      { name: "pods/log", kind: "Pod", namespaced: true },
      { name: "nodes", kind: "Node", namespaced: false },
    ],
  },
  "/apis/apps/v1": { resources: [{ name: "deployments", kind: "Deployment", namespaced: true }] },
};

test("DiscoveryMapper asks old servers group by group, and does without a group that is down", async () => {
  const { mapper: found, asked } = mapper(old);
  expect(await found.kindFor({ apiVersion: "v1", kind: "Node" })).toMatchObject({
    plural: "nodes",
    scope: "Cluster",
  });
  expect(await found.kindFor({ apiVersion: "apps/v1", kind: "Deployment" })).toMatchObject({
    plural: "deployments",
  });
  expect((await found.kinds()).map(({ kind }) => kind)).toEqual(["Pod", "Node", "Deployment"]);
  expect(asked).toHaveLength(5);
});

test("DiscoveryMapper doesn't keep a failure", async () => {
  const documents: { [path: string]: unknown } = {};
  const { mapper: found } = mapper(documents);
  await expect(found.kinds()).rejects.toMatchObject({ status: 503 });
  Object.assign(documents, old);
  expect(await found.kinds()).toHaveLength(3);
});
