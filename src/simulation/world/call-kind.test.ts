import { expect, test } from "vitest";
import { callKind } from "./network.ts";

test.each([
  ["lease", "/apis/coordination.k8s.io/v1/namespaces/default/leases/shop"],
  ["event", "/api/v1/namespaces/default/events"],
  ["event", "/apis/events.k8s.io/v1/namespaces/default/events/x?force=true"],
  ["write", "/apis/rental.dev/v1/namespaces/default/leases/x"],
  ["write", "/apis/my.dev/v1/namespaces/default/events/x"],
  ["write", "/api/v1/namespaces/events/configmaps/x"],
  ["write", "/api/v1/namespaces/default/configmaps/leases"],
] as const)("a %s is PATCH %s", (kind, path) => {
  expect(callKind({ method: "PATCH", path }, false)).toBe(kind);
});
