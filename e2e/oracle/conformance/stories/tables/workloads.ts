import { type Story, story } from "../../story.ts";
import { container } from "../pod-cases.ts";
import { core, named, showTable } from "./show-table.ts";

const apps = "/apis/apps/v1/namespaces/{ns}";
const batch = "/apis/batch/v1/namespaces/{ns}";
const template = {
  metadata: { labels: { app: "x" } },
  spec: { containers: [container, { ...container, name: "d" }] },
};
const selector = { matchLabels: { app: "x" } };

/** Kinds that create pods, and kinds that scale or protect them. */
export const workloadTables: Story = story("workloads", [
  ...showTable(`${apps}/deployments`, named("a", { spec: { selector, template, replicas: 3 } }), {
    replicas: 3,
    readyReplicas: 2,
    updatedReplicas: 3,
    availableReplicas: 1,
  }),
  ...showTable(`${apps}/replicasets`, named("a", { spec: { selector, template } }), {
    replicas: 1,
    readyReplicas: 1,
  }),
  ...showTable(`${apps}/statefulsets`, named("a", { spec: { selector, template, serviceName: "a" } })),
  ...showTable(`${apps}/daemonsets`, named("a", { spec: { selector, template } }), {
    currentNumberScheduled: 1,
    numberMisscheduled: 0,
    desiredNumberScheduled: 2,
    numberReady: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
  }),
  ...showTable(`${apps}/controllerrevisions`, named("a", { revision: 3, data: {} })),
  ...showTable(`${core}/replicationcontrollers`, named("a", { spec: { template } })),
  ...showTable(`${core}/podtemplates`, named("a", { template })),
  ...showTable(
    `${batch}/jobs`,
    named("a", { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } }),
  ),
  ...showTable(
    `${batch}/jobs`,
    named("b", {
      spec: {
        suspend: true,
        parallelism: 2,
        template: { spec: { ...template.spec, restartPolicy: "Never" } },
      },
    }),
  ),
  ...showTable(
    `${batch}/cronjobs`,
    named("a", {
      spec: {
        schedule: "0 * * * *",
        timeZone: "Etc/UTC",
        jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
      },
    }),
  ),
  ...showTable(
    "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
    named("a", {
      spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "x", apiVersion: "apps/v1" } },
    }),
  ),
  ...showTable(
    "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
    named("a", { spec: { minAvailable: 1, selector } }),
  ),
  ...showTable(
    "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
    named("b", { spec: { maxUnavailable: "50%", selector } }),
  ),
]);
