import { type Story, story } from "../../story.ts";
import { container } from "../pod-cases.ts";
import { core, named, showTable } from "./show-table.ts";

const waiting = (reason: string): object => ({
  name: "c",
  ready: false,
  restartCount: 3,
  image: "i",
  imageID: "",
  state: { waiting: { reason } },
});
const ended = (exitCode: number, signal?: number, reason?: string): object => ({
  name: "c",
  ready: false,
  restartCount: 0,
  image: "i",
  imageID: "",
  state: { terminated: { exitCode, ...(signal && { signal }), ...(reason && { reason }) } },
});
const running = { name: "c", ready: true, restartCount: 1, image: "i", imageID: "", state: { running: {} } };
const pod = { spec: { containers: [container] } };
const init = { spec: { initContainers: [{ ...container, name: "i" }], containers: [container] } };

/** Pods in all states that their columns distinguish. */
export const podTables: Story = story("pods", [
  ...showTable(`${core}/pods`, named("pending", pod)),
  ...showTable(`${core}/pods`, named("running", pod), {
    phase: "Running",
    podIP: "10.1.2.3",
    podIPs: [{ ip: "10.1.2.3" }],
    conditions: [{ type: "Ready", status: "True" }],
    containerStatuses: [running],
  }),
  ...showTable(`${core}/pods`, named("crashing", pod), {
    phase: "Running",
    containerStatuses: [waiting("CrashLoopBackOff")],
  }),
  ...showTable(`${core}/pods`, named("completed", pod), {
    phase: "Succeeded",
    containerStatuses: [ended(0, undefined, "Completed")],
  }),
  ...showTable(`${core}/pods`, named("failed", pod), { phase: "Failed", containerStatuses: [ended(3)] }),
  ...showTable(`${core}/pods`, named("killed", pod), { phase: "Failed", containerStatuses: [ended(137, 9)] }),
  ...showTable(`${core}/pods`, named("evicted", pod), { phase: "Failed", reason: "Evicted" }),
  ...showTable(`${core}/pods`, named("initializing", init), {
    phase: "Pending",
    initContainerStatuses: [{ ...running, name: "i", ready: false }],
  }),
  ...showTable(`${core}/pods`, named("init-failed", init), {
    phase: "Pending",
    initContainerStatuses: [{ ...ended(2), name: "i" }],
  }),
  ...showTable(`${core}/pods`, named("init-waits", init), {
    phase: "Pending",
    initContainerStatuses: [{ ...waiting("ImagePullBackOff"), name: "i" }],
  }),
  ...showTable(`${core}/pods`, named("gated", { spec: { ...pod.spec, schedulingGates: [{ name: "a" }] } })),
  ...showTable(
    `${core}/pods`,
    named("ready-gates", { spec: { ...pod.spec, readinessGates: [{ conditionType: "a/b" }] } }),
    { phase: "Running", conditions: [{ type: "a/b", status: "True" }], containerStatuses: [running] },
  ),
]);
