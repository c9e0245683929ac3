import type { Container, EnvVar, PodSpec, Volume } from "@tsbuilder/apimachinery/k8s/core/v1";
import { targetNamespaces } from "./bundle-format.ts";
import type { InstalledDeployment } from "./csv.ts";
import type { Deployment } from "./served-by.ts";

/** What OLM provides instead of the rendered deployment. */
export interface Provided {
  /** The Secrets of certificates that nobody issues any more. */
  readonly secrets: ReadonlySet<string>;
  /** The Deployment serves webhooks: OLM mounts a certificate for them. */
  readonly webhooks: boolean;
  /** The operator may be installed for some namespaces: it then watches those that OLM says. */
  readonly namespaces: boolean;
}

/** Where OLM mounts the certificate of webhooks, as tls.crt and tls.key. */
const certificateFolder = "/tmp/k8s-webhook-server/serving-certs";

/** The Deployment as OLM is to install it: without the certificates of others, watching the namespaces that OLM says. */
export function installDeployment(deployment: Deployment, provided: Provided): InstalledDeployment {
  const { metadata, spec } = deployment;
  const { labels: label } = metadata as { labels?: Readonly<Record<string, string>> };
  const pod = spec.template.spec!;
  return {
    name: metadata.name,
    ...(label ? { label } : {}),
    spec: { ...spec, template: { ...spec.template, spec: installPod(pod, provided) } },
  };
}

function installPod(pod: PodSpec, provided: Provided): PodSpec {
  const lost = new Set(
    (pod.volumes ?? []).filter((volume) => isLost(volume, provided)).map(({ name }) => name),
  );
  const manager = pod.containers.find(({ name }) => name === "manager") ?? pod.containers[0];
  return replaceLists(pod, {
    containers: pod.containers.map((container) =>
      withNamespaces(withoutCertificates(container, lost, provided), provided, container === manager),
    ),
    volumes: (pod.volumes ?? []).filter(({ name }) => !lost.has(name)),
  });
}

function isLost({ secret, projected }: Volume, { secrets }: Provided): boolean {
  const names = [secret?.secretName, ...(projected?.sources ?? []).map((source) => source.secret?.name)];
  return names.some((name) => name !== undefined && secrets.has(name));
}

/** Whether the operator makes the certificate of its webhooks, instead of which it gets OLM's. */
export function makesCertificate({ spec }: Deployment): boolean {
  return (spec.template.spec?.containers ?? []).some(({ args }) => args?.some((arg) => selfSigned.test(arg)));
}

const selfSigned = /^--self-signed-webhook-certs(?:=true)?$/u;

/** The operator signs the certificate of its metrics itself if no path is given. */
const metricsCertificate = /^--metrics-cert-(?:path|name|key)=/u;
const webhookCertificate =
  /^--(?:webhook-cert-(?:path|name|key)=|self-signed-webhook-certs\b|webhook-service=)/u;

function withoutCertificates(
  container: Container,
  lost: ReadonlySet<string>,
  { webhooks }: Provided,
): Container {
  const { args = [], env = [], volumeMounts = [] } = container;
  const mounts = volumeMounts.filter(({ name }) => !lost.has(name));
  const folders = volumeMounts.filter(({ name }) => lost.has(name)).map(({ mountPath }) => mountPath);
  const losesMetrics = folders.some((folder) => args.includes(`--metrics-cert-path=${folder}`));
  const hasCertificate = webhooks && args.some((arg) => webhookCertificate.test(arg));
  const kept = args.filter(
    (arg) =>
      !(losesMetrics && metricsCertificate.test(arg)) && !(hasCertificate && webhookCertificate.test(arg)),
  );
  const all = hasCertificate ? [...kept, `--webhook-cert-path=${certificateFolder}`] : kept;
  const variables = hasCertificate ? env.filter(({ name }) => name !== "WEBHOOK_SERVICE") : env;
  return replaceLists(container, { args: all, env: variables, volumeMounts: mounts });
}

/** Sets lists where they were before; an empty one is left out. */
function replaceLists<Value extends object>(
  value: Value,
  lists: { readonly [Key in keyof Value]?: readonly unknown[] },
): Value {
  const isEmpty = (key: string): boolean => lists[key as keyof Value]?.length === 0;
  return Object.fromEntries(Object.entries({ ...value, ...lists }).filter(([key]) => !isEmpty(key))) as Value;
}

/** A variable that OLM fills with the namespaces of the OperatorGroup, separated by commas; empty for all. */
const watched: EnvVar = {
  name: "WATCH_NAMESPACE",
  valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${targetNamespaces}']` } },
};

function withNamespaces(container: Container, { namespaces }: Provided, isManager: boolean): Container {
  const { env = [], args } = container;
  const has = env.some(({ name }) => name === watched.name);
  if (!has && !(namespaces && isManager)) return container;
  return {
    ...container,
    // The flag would hold, not the variable.
    ...(args ? { args: args.filter((arg) => !arg.startsWith("--watch-namespaces=")) } : {}),
    env: has ? env.map((each) => (each.name === watched.name ? watched : each)) : [...env, watched],
  };
}
