import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Claim } from "../persistent-volume-claim.ts";

// The fields of one object, down to its leaves: a list, and so longer than other files.

export type Text = Record<string, string>;

export interface HttpGet {
  path?: string;
  scheme?: string;
  port?: number | string;
  httpHeaders?: Array<{ name?: string }>;
}

/** What a probe or a hook does; exactly one of the fields is there. */
export interface Handler {
  exec?: { command?: string[] };
  httpGet?: HttpGet;
  tcpSocket?: { port?: number | string };
  grpc?: { port?: number; service?: string };
  sleep?: { seconds?: number };
}

export interface Probe extends Handler {
  initialDelaySeconds?: number;
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
}

export interface ContainerPort {
  name?: string;
  containerPort?: number;
  hostPort?: number;
  hostIP?: string;
  protocol?: string;
}

export interface FieldReference {
  apiVersion?: string;
  fieldPath?: string;
}

export interface ResourceReference {
  containerName?: string;
  resource?: string;
  divisor?: string;
}

export interface KeyReference {
  name?: string;
  key?: string;
}

export interface Variable {
  name?: string;
  value?: string;
  valueFrom?: {
    fieldRef?: FieldReference;
    resourceFieldRef?: ResourceReference;
    configMapKeyRef?: KeyReference;
    secretKeyRef?: KeyReference;
    fileKeyRef?: { key?: string; volumeName?: string; path?: string; optional?: boolean };
  };
}

export interface VariableSource {
  prefix?: string;
  configMapRef?: { name?: string };
  secretRef?: { name?: string };
}

export interface Mount {
  name?: string;
  mountPath?: string;
  subPath?: string;
  subPathExpr?: string;
  readOnly?: boolean;
  mountPropagation?: string;
  recursiveReadOnly?: string;
}

export interface Device {
  name?: string;
  devicePath?: string;
}

export interface Resources {
  limits?: Text;
  requests?: Text;
  claims?: Array<{ name?: string; request?: string }>;
}

export interface Profile {
  type?: string;
  localhostProfile?: string;
}

export interface SecurityContext {
  capabilities?: { add?: string[]; drop?: string[] };
  privileged?: boolean;
  seLinuxOptions?: object;
  windowsOptions?: object;
  runAsUser?: number;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  readOnlyRootFilesystem?: boolean;
  allowPrivilegeEscalation?: boolean;
  procMount?: string;
  seccompProfile?: Profile;
  appArmorProfile?: Profile;
}

export interface RestartRule {
  action?: string;
  exitCodes?: { operator?: string; values?: number[] };
}

export interface Container {
  name?: string;
  image?: string;
  imagePullPolicy?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  restartPolicy?: string;
  restartPolicyRules?: RestartRule[];
  ports?: ContainerPort[];
  env?: Variable[];
  envFrom?: VariableSource[];
  volumeMounts?: Mount[];
  volumeDevices?: Device[];
  resources?: Resources;
  resizePolicy?: Array<{ resourceName?: string; restartPolicy?: string }>;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: { postStart?: Handler; preStop?: Handler; stopSignal?: string };
  securityContext?: SecurityContext;
}

export interface KeyToPath {
  key?: string;
  path?: string;
  mode?: number;
}

export interface DownwardFile {
  path?: string;
  fieldRef?: FieldReference;
  resourceFieldRef?: ResourceReference;
  mode?: number;
}

export interface Projection {
  secret?: { name?: string; items?: KeyToPath[] };
  configMap?: { name?: string; items?: KeyToPath[] };
  downwardAPI?: { items?: DownwardFile[] };
  serviceAccountToken?: { expirationSeconds?: number; path?: string };
  clusterTrustBundle?: { name?: string; signerName?: string; path?: string; labelSelector?: LabelSelector };
  podCertificate?: object;
}

/** A volume's name and its one source; the sources that rules speak of are spelt out. */
export interface Volume {
  name?: string;
  emptyDir?: { sizeLimit?: string };
  hostPath?: { path?: string; type?: string };
  secret?: { secretName?: string; defaultMode?: number; items?: KeyToPath[] };
  configMap?: { name?: string; defaultMode?: number; items?: KeyToPath[] };
  downwardAPI?: { defaultMode?: number; items?: DownwardFile[] };
  projected?: { defaultMode?: number; sources?: Projection[] };
  persistentVolumeClaim?: { claimName?: string };
  nfs?: { server?: string; path?: string };
  csi?: { driver?: string; nodePublishSecretRef?: { name?: string } };
  ephemeral?: {
    volumeClaimTemplate?: { metadata?: { labels?: Text; annotations?: Text }; spec?: Claim["spec"] };
  };
  image?: { reference?: string; pullPolicy?: string };
  gitRepo?: { repository?: string; directory?: string };
  [source: string]: unknown;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface NodeRequirement {
  key?: string;
  operator?: string;
  values?: string[];
}

export interface NodeTerm {
  matchExpressions?: NodeRequirement[];
  matchFields?: NodeRequirement[];
}

export interface PodTerm {
  labelSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  namespaces?: string[];
  topologyKey?: string;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
}

export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: Array<{ weight?: number; podAffinityTerm?: PodTerm }>;
}

export interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms?: NodeTerm[] };
    preferredDuringSchedulingIgnoredDuringExecution?: Array<{ weight?: number; preference?: NodeTerm }>;
  };
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAffinity;
}

export interface SpreadConstraint {
  maxSkew?: number;
  topologyKey?: string;
  whenUnsatisfiable?: string;
  minDomains?: number;
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
  matchLabelKeys?: string[];
  labelSelector?: LabelSelector;
}

export interface PodSecurityContext {
  runAsUser?: number;
  runAsGroup?: number;
  fsGroup?: number;
  supplementalGroups?: number[];
  fsGroupChangePolicy?: string;
  supplementalGroupsPolicy?: string;
  seLinuxChangePolicy?: string;
  sysctls?: Array<{ name?: string; value?: string }>;
  seccompProfile?: Profile;
  appArmorProfile?: Profile;
}

export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  ephemeralContainers?: Array<Container & { targetContainerName?: string }>;
  volumes?: Volume[];
  restartPolicy?: string;
  dnsPolicy?: string;
  dnsConfig?: { nameservers?: string[]; searches?: string[]; options?: Array<{ name?: string }> };
  schedulerName?: string;
  securityContext?: PodSecurityContext;
  terminationGracePeriodSeconds?: number;
  enableServiceLinks?: boolean;
  nodeName?: string;
  nodeSelector?: Text;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  hostUsers?: boolean;
  shareProcessNamespace?: boolean;
  hostname?: string;
  hostnameOverride?: string;
  setHostnameAsFQDN?: boolean;
  subdomain?: string;
  hostAliases?: Array<{ ip?: string; hostnames?: string[] }>;
  imagePullSecrets?: Array<{ name?: string }>;
  serviceAccount?: string;
  serviceAccountName?: string;
  priority?: number;
  priorityClassName?: string;
  preemptionPolicy?: string;
  runtimeClassName?: string;
  activeDeadlineSeconds?: number;
  affinity?: Affinity;
  tolerations?: Toleration[];
  topologySpreadConstraints?: SpreadConstraint[];
  readinessGates?: Array<{ conditionType?: string }>;
  schedulingGates?: Array<{ name?: string }>;
  resourceClaims?: Array<{ name?: string; resourceClaimName?: string; resourceClaimTemplateName?: string }>;
  resources?: Resources;
  overhead?: Text;
  os?: { name?: string };
}

export interface PodTemplate {
  metadata?: { labels?: Text; annotations?: Text };
  spec?: PodSpec;
}

export interface Pod extends ApiObject {
  spec: PodSpec;
  status?: { phase?: string; qosClass?: string; [field: string]: unknown };
}
