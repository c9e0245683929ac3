import { expect, test } from "vitest";
import { mapping } from "./kind-source.ts";

const object = (owner: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", labels: { owner } },
});

test("the requests of both states of an update are enqueued once each", () => {
  const requests: string[] = [];
  const reaction = mapping(
    ({ metadata }) => [metadata.labels!["owner"]!, "all", "all"],
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
