import { expect, test } from "vitest";
import type { Recorded } from "../../dev/record/recorded.ts";
import { activityOf } from "./connections.ts";
import { History } from "./history.ts";
import { madeReconcile, madeRequest, madeWrite } from "../../dev/record/testdata/made-records.ts";

const metadata = { namespace: "default", name: "db" };
const pods = "/api/v1/namespaces/default/pods";

function aboutPod(...recorded: Recorded[]) {
  const history = new History();
  const pod = { kind: "Pod", metadata };
  history.add(madeWrite({ at: 100, write: "ADDED", resource: "pods" }, pod));
  history.add(madeWrite({ at: 500, write: "DELETED", resource: "pods" }, pod));
  for (const one of recorded) history.add(one);
  const { caused, wrote, events } = activityOf(history, "pods default/db");
  return {
    caused: caused.map(({ from }) => from),
    wrote: wrote.map(({ reconcile, requests }) => [reconcile.from, requests.length]),
    events: events.map(({ revision }) => [revision.at, revision.object.metadata.name]),
  };
}

test("the reconciles that it caused are those whose cause is its kind and key", () => {
  const because = (at: number, ...causes: string[]) => madeReconcile(at, { causes });
  expect(
    aboutPod(
      because(30, "update of Secret default/x", "update of Pod default/db"),
      because(10, "add of Pod default/db"),
      because(20, "update of Pod default/db-0", "update of MySQL default/db", "update of Pod db"),
      because(40, "delete of Pod default/db"),
    ).caused,
  ).toEqual([10, 30, 40]);
});

test("the reconciles that wrote it sent a request to it that succeeded", () => {
  const sent = (at: number, ...lines: string[]) =>
    madeReconcile(at, { requests: lines.map((line) => madeRequest(line)) });
  expect(
    aboutPod(
      sent(9, `PUT ${pods}/db`, `PATCH ${pods}/db/status?fieldManager=a`, `PUT ${pods}/db-0`),
      sent(1, `DELETE ${pods}/db`),
      sent(2, `GET ${pods}/db`, `PATCH ${pods}/db?dryRun=All`, `POST ${pods}/db/exec`, "PUT /api/v1/pods/db"),
      sent(3, `POST ${pods}/db/eviction`),
      madeReconcile(4, {
        requests: [madeRequest(`PUT ${pods}/db`, "409"), madeRequest(`PUT ${pods}/db`, "<error>")],
      }),
    ).wrote,
  ).toEqual([
    [1, 1],
    [3, 1],
    [9, 2],
  ]);
});

test("a write of its collection is one of it, if it came or went meanwhile", () => {
  const sent = (at: number, line: string) =>
    madeReconcile(at, { seconds: 0.02, requests: [madeRequest(line, "201")] });
  expect(
    aboutPod(
      sent(85, `POST ${pods}`),
      sent(90, "POST /api/v1/namespaces/other/pods"),
      sent(95, "POST /api/v1/namespaces/default/secrets"),
      sent(150, `POST ${pods}`),
      sent(490, `DELETE ${pods}?labelSelector=a`),
      sent(495, `POST ${pods}`),
    ).wrote,
  ).toEqual([
    [85, 1],
    [490, 1],
  ]);
});

test("Events of both groups are shown in their last state", () => {
  const event = (at: number, name: string, members: object, options: object = {}) =>
    madeWrite({ at, resource: "events", ...options }, { kind: "Event", metadata: { name }, ...members });
  const involvedObject = { kind: "Pod", ...metadata };
  expect(
    aboutPod(
      event(7, "late", { involvedObject }),
      event(1, "core", { involvedObject }),
      event(5, "core", { involvedObject }),
      event(9, "core", { involvedObject }, { write: "DELETED" }),
      event(2, "new", { regarding: involvedObject }, { resource: "events.events.k8s.io" }),
      event(3, "other", { involvedObject: { ...involvedObject, kind: "Secret" } }),
      event(4, "elsewhere", { involvedObject: { ...involvedObject, namespace: "x" } }),
      event(6, "no event", { involvedObject }, { resource: "pods" }),
    ).events,
  ).toEqual([
    [2, "new"],
    [5, "core"],
    [7, "late"],
  ]);
});

test("nothing is known about an object that was never written", () => {
  expect(activityOf(new History(), "pods default/db")).toEqual({ caused: [], wrote: [], events: [] });
});
