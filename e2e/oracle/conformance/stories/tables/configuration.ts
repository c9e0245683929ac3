import { get, story, type Story } from "../../story.ts";
import { asTable, core, named, showTable } from "./show-table.ts";

/** Configuration, quotas, leases, Events and the namespace. */
export const configurationTables: Story = story("configuration", [
  ...showTable(`${core}/configmaps`, named("a", { data: { k: "v" }, binaryData: { b: "" } })),
  ...showTable(`${core}/secrets`, named("a", { stringData: { k: "v" } })),
  ...showTable(`${core}/serviceaccounts`, named("a", { secrets: [{ name: "x" }] })),
  ...showTable(
    `${core}/limitranges`,
    named("a", { spec: { limits: [{ type: "Container", default: { cpu: "1" } }] } }),
  ),
  ...showTable(
    `${core}/resourcequotas`,
    named("a", { spec: { hard: { pods: "3", "requests.cpu": "2", "limits.cpu": "4" } } }),
    {
      hard: { pods: "3", "requests.cpu": "2", "limits.cpu": "4" },
      used: { pods: "1", "requests.cpu": "1", "limits.cpu": "2" },
    },
  ),
  ...showTable(
    "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
    named("a", { spec: { holderIdentity: "me" } }),
  ),
  ...showTable(
    `${core}/events`,
    named("e", {
      involvedObject: { kind: "Pod", name: "p", namespace: "{ns}", fieldPath: "spec.containers{c}" },
      reason: "Test",
      message: " hello ",
      type: "Normal",
      count: 2,
      source: { component: "me", host: "here" },
    }),
  ),
  get("/apis/events.k8s.io/v1/namespaces/{ns}/events/e?includeObject=None", asTable),
  get("/api/v1/namespaces/{ns}?includeObject=None", asTable),
]);
