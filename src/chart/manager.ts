import type { DeploymentSpec } from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { Container, ContainerPort, EnvVar, PodSpec } from "@tsbuilder/apimachinery/k8s/core/v1";
import { TsbuilderError } from "../shared/errors.ts";
import type { ManifestObject, WithSpec } from "../ship/manifest.ts";
import { action, itemsWhen, lines, optionalKey, valueKey } from "./actions.ts";

/** The operator's pod and the container in it that runs the manager. */
export interface Manager {
  readonly replicas: number;
  readonly pod: PodSpec;
  readonly container: Container;
}

export const managerName = "controller-manager";

/** Finds the operator's Deployment by the end of its name: its beginning is the project's prefix. Throws if there is none. */
export function findManager(objects: readonly ManifestObject[]): ManifestObject {
  const manager = objects.find(
    ({ kind, metadata }) => kind === "Deployment" && metadata.name.endsWith(`-${managerName}`),
  );
  if (manager) return manager;
  throw new TsbuilderError(`config/default has no Deployment whose name ends with "-${managerName}"`, {
    code: "NOT_FOUND",
    hint: "keep its name in config/manager/manager.yaml, and a namePrefix in config/base/kustomization.yaml: the release's name replaces the prefix",
  });
}

/** Reads the manager of the operator's Deployment. Throws if it has no container of this name. */
export function readManager(deployment: ManifestObject): Manager {
  const { spec } = deployment as WithSpec<DeploymentSpec>;
  const pod = spec.template.spec!;
  const container = pod.containers.find(({ name }) => name === "manager");
  if (container) return { replicas: spec.replicas ?? 1, pod, container };
  throw new TsbuilderError(`the Deployment "${deployment.metadata.name}" has no container "manager"`, {
    code: "NOT_FOUND",
    hint: "name the operator's container manager in config/manager/manager.yaml: the chart's values apply to it",
  });
}

/** Arguments that the chart sets by its switches. */
const metricsFlag = /^--metrics-/u;
const webhookFlag = /^--(?:webhook-|self-signed-webhook-certs|enable-webhooks)/u;

/** The arguments that are in the chart's values: all but those that its switches set. */
export function customArguments({ args = [] }: Container): readonly string[] {
  return args.filter((arg) => !metricsFlag.test(arg) && !webhookFlag.test(arg));
}

/** Variables with a plain value; those with valueFrom stay in the Deployment. */
export function plainVariables({ env = [] }: Container): readonly EnvVar[] {
  return env.filter(({ name, value }) => value !== undefined && name !== "WEBHOOK_SERVICE");
}

/** Inserts the chart's values into the Deployment, with the parts of each feature under its condition. */
export function managerTemplate(deployment: ManifestObject, chart: string): ManifestObject {
  const { pod, container } = readManager(deployment);
  const { spec } = deployment as WithSpec<DeploymentSpec>;
  const manager = ".Values.manager";
  const { securityContext: _, volumes, ...others } = pod;
  const containers = pod.containers.map((item) =>
    item === container ? containerTemplate(container, chart) : item,
  );
  return {
    ...deployment,
    spec: {
      ...spec,
      replicas: action(`${manager}.replicas`),
      ...optionalKey("strategy", `${manager}.strategy`),
      template: {
        metadata: withPodValues({ ...spec.template.metadata }),
        spec: {
          ...others,
          containers,
          ...optionalKey("imagePullSecrets", `${manager}.imagePullSecrets`),
          ...optionalKey("nodeSelector", `${manager}.nodeSelector`),
          ...optionalKey("affinity", `${manager}.affinity`),
          ...optionalKey("tolerations", `${manager}.tolerations`),
          ...optionalKey("topologySpreadConstraints", `${manager}.topologySpreadConstraints`),
          ...optionalKey("priorityClassName", `${manager}.priorityClassName`),
          ...valueKey("securityContext", `${manager}.podSecurityContext`),
          terminationGracePeriodSeconds: action(`${manager}.terminationGracePeriodSeconds`),
          ...(volumes ? { volumes: underSwitches(volumes) } : {}),
        },
      },
    },
  };
}

function containerTemplate(container: Container, chart: string): Record<string, unknown> {
  const {
    name,
    args = [],
    env = [],
    ports,
    volumeMounts,
    resources: _,
    securityContext: __,
    ...rest
  } = container;
  const manager = ".Values.manager";
  const plain = new Set(plainVariables(container));
  // A list item cannot start with a template line, so the name comes first.
  return {
    name,
    ...rest,
    image: action(`include "${chart}.image" .`),
    imagePullPolicy: action(`${manager}.image.pullPolicy`),
    args: [valueLines(`${manager}.args`), ...switchedArguments(args)],
    env: [
      ...env.filter((variable) => !plain.has(variable) && variable.name !== "WEBHOOK_SERVICE"),
      ...itemsWhen(
        ".Values.webhook.enabled",
        env.filter((variable) => variable.name === "WEBHOOK_SERVICE"),
      ),
      lines(
        `{{- range ${manager}.env }}\n{{- if not (hasKey $${manager}.envOverrides .name) }}\n- {{- toYaml . | nindent <indent+2> }}\n{{- end }}\n{{- end }}`,
      ),
      lines(
        `{{- range $name, $value := ${manager}.envOverrides }}\n- name: {{ $name }}\n  value: {{ $value | quote }}\n{{- end }}`,
      ),
    ],
    ...(ports ? { ports: underSwitches(ports.map(withPortValue)) } : {}),
    ...valueKey("resources", `${manager}.resources`),
    ...valueKey("securityContext", `${manager}.securityContext`),
    ...(volumeMounts ? { volumeMounts: underSwitches(volumeMounts) } : {}),
  };
}

const metricsCertificate = "and .Values.metrics.enabled .Values.certManager.enabled";

/** The operator's default port needs no flag, as in config/. */
const webhookPort = lines(
  "{{- if ne (int .Values.webhook.port) 9443 }}\n- --webhook-port={{ .Values.webhook.port }}\n{{- end }}",
);

/** Puts the arguments of metrics and webhooks under their switches, with the ports from the values. */
function switchedArguments(args: readonly string[]): unknown[] {
  const metrics = args.filter((arg) => metricsFlag.test(arg));
  const webhooks = args.filter((arg) => webhookFlag.test(arg));
  const certificate = metrics.filter((arg) => arg.startsWith("--metrics-cert"));
  const others = metrics.filter((arg) => !certificate.includes(arg));
  return [
    ...(metrics.length === 0
      ? []
      : itemsWhen(
          ".Values.metrics.enabled",
          [
            ...others.map((arg) =>
              arg.startsWith("--metrics-bind-address")
                ? `--metrics-bind-address=:${action(".Values.metrics.port")}`
                : arg,
            ),
            lines("{{- if not .Values.metrics.secure }}\n- --metrics-secure=false\n{{- end }}"),
          ],
          ["--metrics-bind-address=0"],
        )),
    ...(webhooks.length === 0
      ? []
      : itemsWhen(
          ".Values.webhook.enabled",
          [...webhooks.filter((arg) => !arg.startsWith("--webhook-port")), webhookPort],
          ["--enable-webhooks=false"],
        )),
    ...itemsWhen(metricsCertificate, certificate),
  ];
}

/** Puts each port, volume or mount under the switch of the feature that needs it. */
function underSwitches(items: readonly { readonly name?: string | undefined }[]): unknown[] {
  const switches: Readonly<Record<string, string>> = {
    metrics: ".Values.metrics.enabled",
    "metrics-certs": metricsCertificate,
    "webhook-server": ".Values.webhook.enabled",
    "webhook-certs": ".Values.webhook.enabled",
  };
  return items.flatMap((item) => {
    const condition = switches[item.name ?? ""];
    return condition === undefined ? [item] : itemsWhen(condition, [item]);
  });
}

function withPortValue(port: ContainerPort): typeof port {
  const values: Readonly<Record<string, string>> = {
    metrics: ".Values.metrics.port",
    "webhook-server": ".Values.webhook.port",
  };
  const value = values[port.name ?? ""];
  // An action is a string here, and a number once Helm has rendered it.
  return value === undefined ? port : { ...port, containerPort: action(value) as unknown as number };
}

function withPodValues(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const withValues = (key: "labels" | "annotations"): Record<string, unknown> => ({
    ...(metadata[key] as object | undefined),
    [valueLines(`.Values.manager.pod.${key}`)]: null,
  });
  return { ...metadata, annotations: withValues("annotations"), labels: withValues("labels") };
}

/** Inserts a list or a mapping of the values, unless it is empty. */
function valueLines(value: string): string {
  return lines(`{{- with ${value} }}\n{{- toYaml . | nindent <indent> }}\n{{- end }}`);
}
