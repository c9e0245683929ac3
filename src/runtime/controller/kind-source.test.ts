import { expect, test } from "vitest";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Stored } from "../client/client.ts";
import { mapping } from "./kind-source.ts";

const object = (owner: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    namespace: "default",
    name: "a",
    uid: "1",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels: { owner },
  },
});

test("the requests of both states of an update are enqueued once each", () => {
  const requests: string[] = [];
  const reaction = mapping(
    ({ metadata }: Stored<KubernetesObject>) => [metadata.labels!["owner"]!, "all", "all"],
    (request: string) => request,
  );
  const event = {
    type: "update",
    object: object("new"),
    oldObject: object("old"),
    isResync: false,
    isOwnWrite: false,
  } as const;
  const failures: unknown[] = [];
  void reaction.react(
    event,
    (request) => void requests.push(request),
    (...failure) => void failures.push(failure),
  );
  expect(requests).toEqual(["new", "all", "old"]);
  expect(failures).toEqual([]);
});
