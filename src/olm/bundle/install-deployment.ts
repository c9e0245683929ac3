import type { Container, EnvVar, PodSpec, Volume } from "@tsbuilder/apimachinery/k8s/core/v1";
import { targetNamespaces } from "../bundle-format.ts";
import type { InstalledDeployment } from "./csv.ts";
import type { Deployment } from "./webhook-definitions.ts";

/** The parts of the rendered deployment that OLM replaces by its own. */
interface ReplacedByOlm {
  /** The Secrets of cert-manager, which nothing writes in a bundle. */
  readonly secrets: ReadonlySet<string>;
  /** The Deployment serves webhooks: OLM mounts a certificate for them. */
  readonly webhooks: boolean;
  /** The operator can be installed for some namespaces: OLM tells it which ones to watch. */
  readonly namespaces: boolean;
}

/** Adapts a Deployment for OLM: without cert-manager's certificates, and watching the namespaces that OLM names. */
export function installDeployment(deployment: Deployment, replaced: ReplacedByOlm): InstalledDeployment {
  const { metadata, spec } = deployment;
  const { labels: label } = metadata as { labels?: Readonly<Record<string, string>> };
  const pod = spec.template.spec!;
  return {
    name: metadata.name,
    ...(label ? { label } : {}),
    spec: { ...spec, template: { ...spec.template, spec: installPod(pod, replaced) } },
  };
}

function installPod(pod: PodSpec, replaced: ReplacedByOlm): PodSpec {
  const lostVolumes = new Set(
    (pod.volumes ?? []).filter((volume) => isIssuedVolume(volume, replaced)).map(({ name }) => name),
  );
  const manager = pod.containers.find(({ name }) => name === "manager") ?? pod.containers[0];
  return replaceLists(pod, {
    containers: pod.containers.map((container) =>
      withNamespaces(withoutCertificates(container, lostVolumes, replaced), replaced, container === manager),
    ),
    volumes: (pod.volumes ?? []).filter(({ name }) => !lostVolumes.has(name)),
  });
}

/** Returns whether a volume is of a Secret that cert-manager writes, which does not exist in a bundle. */
function isIssuedVolume({ secret, projected }: Volume, { secrets }: ReplacedByOlm): boolean {
  const names = [secret?.secretName, ...(projected?.sources ?? []).map((source) => source.secret?.name)];
  return names.some((name) => name !== undefined && secrets.has(name));
}

/** The folder in which OLM mounts the certificate of webhooks, as tls.crt and tls.key. */
const certificateFolder = "/tmp/k8s-webhook-server/serving-certs";

/** Arguments for the certificate of metrics. Without them, the operator signs one itself. */
const metricsCertificate = /^--metrics-cert-(?:path|name|key)=/u;

/** Arguments for the certificate of webhooks, which OLM replaces. */
const webhookCertificate =
  /^--(?:webhook-cert-(?:path|name|key)=|self-signed-webhook-certs\b|webhook-service=)/u;

/** Removes the mounts and arguments for cert-manager's certificates, and points the webhook server at OLM's. */
function withoutCertificates(
  container: Container,
  lostVolumes: ReadonlySet<string>,
  { webhooks }: ReplacedByOlm,
): Container {
  const { args = [], env = [], volumeMounts = [] } = container;
  const mounts = volumeMounts.filter(({ name }) => !lostVolumes.has(name));
  const folders = volumeMounts.filter(({ name }) => lostVolumes.has(name)).map(({ mountPath }) => mountPath);
  const losesMetrics = folders.some((folder) => args.includes(`--metrics-cert-path=${folder}`));
  const hasCertificate = webhooks && args.some((arg) => webhookCertificate.test(arg));
  const kept = args.filter(
    (arg) =>
      !(losesMetrics && metricsCertificate.test(arg)) && !(hasCertificate && webhookCertificate.test(arg)),
  );
  const changed = hasCertificate ? [...kept, `--webhook-cert-path=${certificateFolder}`] : kept;
  const variables = hasCertificate ? env.filter(({ name }) => name !== "WEBHOOK_SERVICE") : env;
  return replaceLists(container, { args: changed, env: variables, volumeMounts: mounts });
}

/** Returns an object with other lists, in the order of its fields. Empty lists are left out. */
function replaceLists<Value extends object>(
  value: Value,
  lists: { readonly [Key in keyof Value]?: readonly unknown[] },
): Value {
  const isEmpty = (key: string): boolean => lists[key as keyof Value]?.length === 0;
  return Object.fromEntries(Object.entries({ ...value, ...lists }).filter(([key]) => !isEmpty(key))) as Value;
}

/** A variable that OLM fills with the namespaces of the OperatorGroup, separated by commas; empty for all. */
const watchNamespaces: EnvVar = {
  name: "WATCH_NAMESPACE",
  valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${targetNamespaces}']` } },
};

/** Has the manager watch the namespaces that OLM names. */
function withNamespaces(container: Container, { namespaces }: ReplacedByOlm, isManager: boolean): Container {
  const { env = [], args } = container;
  const hasVariable = env.some(({ name }) => name === watchNamespaces.name);
  if (!hasVariable && !(namespaces && isManager)) return container;
  return {
    ...container,
    // The flag would override the variable.
    ...(args ? { args: args.filter((arg) => !arg.startsWith("--watch-namespaces=")) } : {}),
    env: hasVariable
      ? env.map((variable) => (variable.name === watchNamespaces.name ? watchNamespaces : variable))
      : [...env, watchNamespaces],
  };
}

/** The argument that lets an operator sign the certificate of its webhooks itself. */
const selfSigned = /^--self-signed-webhook-certs(?:=true)?$/u;

/** Returns whether a Deployment's operator makes the certificate of its webhooks itself. In a bundle, OLM makes it. */
export function signsWebhookCertificate({ spec }: Deployment): boolean {
  return (spec.template.spec?.containers ?? []).some(({ args }) => args?.some((arg) => selfSigned.test(arg)));
}
