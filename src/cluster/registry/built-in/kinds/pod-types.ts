import type { ApiObject } from "../../../storage/api-object.ts";

type Text = Record<string, string>;

export interface Handler {
  httpGet?: { path?: string; scheme?: string; port?: unknown };
  grpc?: { service?: string };
}

export interface Probe extends Handler {
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
}

export interface Container {
  name?: string;
  image?: string;
  imagePullPolicy?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  restartPolicy?: string;
  ports?: Array<{ containerPort?: number; hostPort?: number; protocol?: string; name?: string }>;
  env?: Array<{ name?: string; valueFrom?: { fieldRef?: { apiVersion?: string; fieldPath: string } } }>;
  resources?: { limits?: Text; requests?: Text };
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: { postStart?: Handler; preStop?: Handler };
}

export interface Volume {
  name?: string;
  [source: string]: unknown;
}

export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  volumes?: Volume[];
  restartPolicy?: string;
  dnsPolicy?: string;
  schedulerName?: string;
  securityContext?: object;
  terminationGracePeriodSeconds?: number;
  enableServiceLinks?: boolean;
  nodeName?: string;
  hostNetwork?: boolean;
  serviceAccount?: string;
  serviceAccountName?: string;
  priority?: number;
  priorityClassName?: string;
  preemptionPolicy?: string;
  activeDeadlineSeconds?: number;
  tolerations?: Array<{ key?: string; operator?: string; effect?: string; tolerationSeconds?: number }>;
}

export interface PodTemplate {
  metadata?: { labels?: Text; annotations?: Text };
  spec?: PodSpec;
}

export interface Pod extends ApiObject {
  spec: PodSpec;
  status?: { phase?: string; qosClass?: string; [field: string]: unknown };
}
