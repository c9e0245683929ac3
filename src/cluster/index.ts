export { type Clock, FakeClock } from "@tsbuilder/apimachinery/time";
export {
  type ControllerName,
  controllerNames,
  parseControllerNames,
  parseStages,
  type Stage,
} from "./controllers/index.ts";
export { loadNewObjectCheck, type NewObjectCheck } from "./built-in/new-object-check.ts";
export type { Pace, PacedStep } from "./control-loop/pace.ts";
export type { KubeletTLS } from "./contract/kubelet-tls.ts";
export type { Kubeconfig } from "./auth/credentials.ts";
export { type Cluster, type ClusterOptions, startCluster } from "./start-cluster.ts";
export type { NodesOptions } from "./nodes/ground.ts";
export type { ClusterNodes } from "./nodes/nodes.ts";
export type { ClusterWrite, Writer } from "./registry/writers.ts";
export type { Intercept, InterceptedRequest, Interception } from "./filters/interception.ts";
export type { AnsweredRequest } from "./filters/requests.ts";
export { type MetFailure, type PlannedFailure, PlannedFailures } from "./filters/interception.ts";
export { installLaunchers } from "./launchers/install-launchers.ts";
export type { PlainRequest, PlainResponse } from "./server/in-process.ts";
export type {
  AdmissionCall,
  ConversionCall,
  WebhookCall,
  WebhookFailure,
} from "./admission/webhooks/call-webhook.ts";
export type { WebhookPost, WebhookReply } from "./admission/webhooks/webhook-client.ts";
export { type InProcessCluster, type InProcessOptions, startInProcess } from "./start-in-process.ts";
