import { FakeClock } from "@tsbuilder/apimachinery/time";
import type { AnsweredRequest, ClusterWrite } from "@tsbuilder/cluster";
import { beforeEach, expect, test } from "vitest";
import type { RecordedReconcile } from "../record/recorded.ts";
import { OperatorRequests } from "./operator-requests.ts";

let clock: FakeClock;
let requests: OperatorRequests;
let recorded: RecordedReconcile[];

beforeEach(() => {
  clock = new FakeClock();
  recorded = [];
  const kind = { apiVersion: "example.com/v1", kind: "Shop", resource: "shops.example.com" };
  requests = new OperatorRequests([kind], clock);
  requests.recordIn({ append: (reconciles) => recorded.push(...reconciles) });
  written("shops.example.com", "Shop", "a", "ua");
  written("shops.example.com", "Shop", "b", "ub");
});

function written(resource: string, kind: string, name: string, uid: string, owner?: string): void {
  const ownerReferences = owner === undefined ? undefined : [{ uid: owner, controller: true }];
  const object = { kind, metadata: { name, namespace: "default", uid, ownerReferences } };
  const bytes = Buffer.from(JSON.stringify(object));
  const write: ClusterWrite = { type: "ADDED", resource, key: `default/${name}`, by: undefined, bytes };
  requests.write(write);
}

const shops = "/apis/example.com/v1/namespaces/default/shops";
const deployments = "/apis/apps/v1/namespaces/default/deployments";

function sends(method: string, path: string, more: Partial<AnsweredRequest> = {}): void {
  requests.answered({
    user: "system:serviceaccount:shop-system:manager",
    userAgent: "manager/v1",
    traceparent: undefined,
    method,
    path,
    code: 200,
    milliseconds: 1,
    failure: undefined,
    ...more,
  });
}

/** What was recorded: whose requests, with which end, and how they were put together. */
async function groups(): Promise<string[]> {
  await clock.advance(1000);
  return recorded.map(({ controller, request, requests: sent, outcome, groupedBy }) => {
    const words = sent.map(
      ({ method, path }) => `${method} ${path.replace(/^.*\/namespaces\/default\//u, "")}`,
    );
    return `${controller} ${request} by ${groupedBy}, ${outcome}: ${words.join(", ")}`;
  });
}

test("requests for an object and what it owns belong together, also while another object's requests come between", async () => {
  written("deployments.apps", "Deployment", "web", "ud", "ua");
  sends("GET", `${deployments}/web`);
  sends("PATCH", `${shops}/b/status`);
  sends("PUT", `${deployments}/web`);
  sends("PUT", `${shops}/a/status`);
  expect(await groups()).toEqual([
    "shop default/b by time, done: PATCH shops/b/status",
    "shop default/a by time, done: GET deployments/web, PUT deployments/web, PUT shops/a/status",
  ]);
});

test("a creation is about the owner of what was created", async () => {
  written("deployments.apps", "Deployment", "web", "ud", "ub");
  sends("POST", deployments, { code: 201 });
  expect(await groups()).toEqual(["shop default/b by time, done: POST deployments"]);
});

test("a pause, and a second write of the same object, begin the next reconcile", async () => {
  sends("PUT", `${shops}/a/status`);
  sends("PUT", `${shops}/a`);
  sends("PUT", `${shops}/a/status`);
  await clock.advance(1000);
  sends("GET", `${shops}/a`);
  expect(await groups()).toEqual([
    "shop default/a by time, done: PUT shops/a/status, PUT shops/a",
    "shop default/a by time, done: PUT shops/a/status",
    "shop default/a by time, done: GET shops/a",
  ]);
});

test("what is not there yet is no failure", async () => {
  sends("GET", `${shops}/a`);
  sends("GET", `${deployments}/web`, { code: 404, failure: "not found" });
  expect(await groups()).toEqual(["shop default/a by time, done: GET shops/a, GET deployments/web"]);
});

test("the last request that is no Event is the end", async () => {
  const failed = { code: 403, failure: 'deployments.apps is forbidden: User "manager" cannot create' };
  sends("GET", `${deployments}/web`, { code: 404 });
  sends("GET", `${shops}/a`);
  sends("GET", `${deployments}/web`, { code: 404, failure: "not found" });
  sends("POST", deployments, failed);
  sends("POST", "/api/v1/namespaces/default/events", { code: 201 });
  sends("PUT", `${shops}/b`, { code: 409, failure: "conflict" });
  expect(await groups()).toEqual([
    "shop default/a by time, error: GET shops/a, GET deployments/web, POST deployments, POST events",
    "shop default/b by time, conflict: PUT shops/b",
  ]);
  expect(recorded[0]!.error).toBe(`403: ${failed.failure}`);
});

test("an Event that can't be created is a failure of its own", async () => {
  sends("POST", "/api/v1/namespaces/default/events", { code: 403, failure: "forbidden" });
  expect(await groups()).toEqual(["shop default/b by time, error: POST events"]);
});

test("the requests of a trace belong together, however often an object is written", async () => {
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  sends("PUT", `${shops}/a/status`, { traceparent });
  sends("PUT", `${shops}/a/status`, { traceparent });
  expect(await groups()).toEqual(["shop default/a by trace, done: PUT shops/a/status, PUT shops/a/status"]);
});

test("lists, watches and Leases belong to no reconcile, nor does what can't be told", async () => {
  sends("GET", "/apis/example.com/v1/shops?watch=true");
  sends("GET", "/apis/example.com/v1/shops");
  sends("PUT", "/apis/coordination.k8s.io/v1/namespaces/shop-system/leases/manager");
  sends("GET", "/api/v1/namespaces/shop-system/configmaps/settings");
  sends("GET", "/version");
  expect(await groups()).toEqual([]);
});

test("a process that ends leaves what it had sent", () => {
  sends("PUT", `${shops}/a`);
  requests.end();
  expect(recorded).toHaveLength(1);
});
