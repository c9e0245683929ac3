import { isObject } from "@tsbuilder/apimachinery/json";
import type { Container, PodSpec, ServiceAccount, Volume } from "@tsbuilder/apimachinery/k8s/core/v1";
import { StatusError, forbidden } from "../contract/status-error.ts";
import type { AdmissionRequest } from "../registry/core.ts";
import type { Store } from "../storage/store.ts";
import { type AdmissionPlugin, isNewPod, refusalSubject } from "./admission.ts";
import { generateName } from "../registry/object-meta.ts";
import { type Sent, isMirror } from "../contract/api-object.ts";
import type {
  Container as SentContainer,
  PodSpec as SentPodSpec,
  Volume as SentVolume,
} from "../kinds/core/pod-spec/types.ts";

interface ServiceAccountContext {
  readonly store: Store;
  /** Creates the ServiceAccount `default` of a namespace, which its controller has not created yet. */
  readonly createDefault: (namespace: string) => Promise<void>;
}

/** The account of a pod without a serviceAccountName. */
const defaultAccount = "default";

/** Gives each pod its ServiceAccount, with the account's token as a volume and its imagePullSecrets. */
export function podServiceAccount(context: ServiceAccountContext): AdmissionPlugin {
  return {
    name: "ServiceAccount",
    async mutate(request) {
      if (!isNewPod(request) || !acceptsPods(context, request)) return undefined;
      const spec = request.object["spec"] as Sent<PodSpec>;
      if (!isMirror(request.object)) {
        spec.serviceAccountName ||= defaultAccount;
        const account = await findAccount(context, request, spec.serviceAccountName);
        if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) {
          mountToken(spec);
        }
        const { imagePullSecrets = [] } = account;
        if (!spec.imagePullSecrets?.length && imagePullSecrets.length > 0) {
          spec.imagePullSecrets = imagePullSecrets.map(({ name }) => ({ name }));
        }
      }
      await checkPod(context, request);
      return request.object;
    },
    async validate(request) {
      if (isNewPod(request)) {
        if (acceptsPods(context, request)) await checkPod(context, request);
      } else if (isEphemeralUpdate(request)) await checkEphemeral(context, request);
    },
  };
}

/** Returns true for an existing namespace. In all others, NamespaceLifecycle refuses the pod. */
function acceptsPods({ store }: ServiceAccountContext, { namespace }: AdmissionRequest): boolean {
  const stored = store.collection("namespaces").get(namespace);
  return stored !== undefined && stored.object.metadata.deletionTimestamp === undefined;
}

/** Returns true for an update of the subresource `ephemeralcontainers`, as of `kubectl debug`. */
function isEphemeralUpdate({ operation, resource, subresource, object }: AdmissionRequest): boolean {
  const isPod = resource.group === "" && resource.plural === "pods";
  return isPod && operation === "UPDATE" && subresource === "ephemeralcontainers" && object !== undefined;
}

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const volumePrefix = "kube-api-access-";

/** Mounts a token of the pod's account into all containers without another mount at its path. */
function mountToken(spec: Sent<PodSpec>): void {
  const existing = spec.volumes?.find((volume) => volume.name?.startsWith(volumePrefix));
  const name = existing?.name ?? generateName(volumePrefix);
  const missing = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(lacksTokenMount);
  for (const container of missing) {
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }];
  }
  if (!existing && missing.length > 0) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

function lacksTokenMount({ volumeMounts = [] }: Sent<Container>): boolean {
  return volumeMounts.every((mount) => mount.mountPath !== mountPath);
}

/** An hour and seven seconds mark tokens that were mounted automatically. */
const expirationSeconds = 3607;

/** The token, the CA certificate and the name of the namespace. */
function tokenVolume(name: string): Volume {
  const fieldRef = { apiVersion: "v1", fieldPath: "metadata.namespace" };
  return {
    name,
    projected: {
      defaultMode: 0o644,
      sources: [
        { serviceAccountToken: { expirationSeconds, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        { downwardAPI: { items: [{ path: "namespace", fieldRef }] } },
      ],
    },
  };
}

async function checkPod(context: ServiceAccountContext, request: AdmissionRequest): Promise<void> {
  const object = request.object!;
  const spec = object["spec"] as PodSpec;
  if (isMirror(object)) {
    for (const problem of findMirrorProblems(spec)) throw refusal(request, problem);
    return;
  }
  const account = await readAccount(context, request, spec);
  if (!limitsSecrets(account)) return;
  for (const problem of findRefusedSecrets(account, spec)) throw refusal(request, problem);
}

/** Denies ephemeral containers with refused Secrets: with 500, because the real server doesn't wrap this error. */
async function checkEphemeral(context: ServiceAccountContext, request: AdmissionRequest): Promise<void> {
  const spec = request.object!["spec"] as PodSpec;
  const account = await readAccount(context, request, spec);
  if (!limitsSecrets(account)) return;
  for (const problem of findRefusedReferences(account, "ephemeral container", spec.ephemeralContainers))
    throw new StatusError(500, undefined, problem);
}

function readAccount(context: ServiceAccountContext, request: AdmissionRequest, spec: PodSpec) {
  if (spec.serviceAccountName) return findAccount(context, request, spec.serviceAccountName);
  const pod = `${request.namespace}/${request.object!.metadata.name ?? ""}`;
  throw refusal(request, `no service account specified for pod ${pod}`);
}

/** The real server waits a moment for the default account of a new namespace; here it is created at once. */
async function findAccount(
  { store, createDefault }: ServiceAccountContext,
  request: AdmissionRequest,
  name: string,
): Promise<ServiceAccount> {
  const { namespace } = request;
  const read = () => store.collection("serviceaccounts").get(`${namespace}/${name}`)?.object;
  if (!read() && name === defaultAccount) await createDefault(namespace);
  const account = read();
  if (account) return account;
  const lookup = `error looking up service account ${namespace}/${name}`;
  throw refusal(request, `${lookup}: serviceaccount ${JSON.stringify(name)} not found`);
}

/** The annotation of an account whose pods may only use the Secrets that it lists. */
const enforceMountableSecrets = "kubernetes.io/enforce-mountable-secrets";

/** The texts that Go's strconv.ParseBool reads as true. */
const goTrue = new Set(["1", "t", "T", "true", "TRUE", "True"]);

function limitsSecrets({ metadata }: ServiceAccount): boolean {
  return goTrue.has(metadata.annotations?.[enforceMountableSecrets] ?? "");
}

/** Finds Secrets of a pod that its account does not list. */
function* findRefusedSecrets(account: ServiceAccount, spec: PodSpec): Generator<string> {
  const mountable = namesOf(account.secrets);
  for (const { secret } of spec.volumes ?? []) {
    const name = secret?.secretName ?? "";
    if (secret && !mountable.has(name))
      yield `volume with secret.secretName="${name}" ${notReferenced(account)}`;
  }
  yield* findRefusedReferences(account, "init container", spec.initContainers);
  yield* findRefusedReferences(account, "container", spec.containers);
  const pulled = namesOf(account.imagePullSecrets);
  for (const [index, { name = "" }] of (spec.imagePullSecrets ?? []).entries()) {
    if (pulled.has(name)) continue;
    yield `imagePullSecrets[${index}].name="${name}" ${notReferenced(account, "imagePullSecret")}`;
  }
}

/** The fields of all types of containers that can refer to Secrets. */
type SecretReferences = Pick<Container, "name" | "env" | "envFrom">;

/** Finds Secrets of containers that the account does not list. */
function* findRefusedReferences(
  account: ServiceAccount,
  containerType: string,
  containers: readonly SecretReferences[] = [],
) {
  const mountable = namesOf(account.secrets);
  for (const container of containers) {
    const subject = `${containerType} ${container.name}`;
    for (const { name: variable, valueFrom } of container.env ?? []) {
      const name = valueFrom?.secretKeyRef?.name ?? "";
      if (!valueFrom?.secretKeyRef || mountable.has(name)) continue;
      yield `${subject} with envVar ${variable} referencing secret.secretName="${name}" ${notReferenced(account)}`;
    }
    for (const { secretRef } of container.envFrom ?? []) {
      const name = secretRef?.name ?? "";
      if (!secretRef || mountable.has(name)) continue;
      yield `${subject} with envFrom referencing secret.secretName="${name}" ${notReferenced(account)}`;
    }
  }
}

function namesOf(list: readonly { readonly name?: string | undefined }[] = []): ReadonlySet<string> {
  return new Set(list.map(({ name = "" }) => name));
}

function notReferenced({ metadata }: ServiceAccount, noun = "secret"): string {
  return `is not allowed because service account ${metadata.name} does not reference that ${noun}`;
}

function refusal(request: AdmissionRequest, why: string): Error {
  return forbidden(request.resource, refusalSubject(request).details.name!, why);
}

/** Finds uses of an account's data in a mirror pod, which admission never changes. */
function* findMirrorProblems(spec: SentPodSpec): Generator<string> {
  if (spec.serviceAccountName) yield "a mirror pod may not reference service accounts";
  if (usesSecrets(spec)) yield "a mirror pod may not reference secrets";
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (sources.some(({ serviceAccountToken }) => serviceAccountToken)) {
    yield "a mirror pod may not use ServiceAccountToken volume projections";
  }
}

function usesSecrets(spec: SentPodSpec): boolean {
  const { imagePullSecrets = [], containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  return (
    imagePullSecrets.some(({ name }) => name) ||
    [...containers, ...initContainers, ...ephemeralContainers].some(readsSecrets) ||
    (spec.volumes ?? []).some(holdsSecret)
  );
}

function readsSecrets({ env = [], envFrom = [] }: Pick<SentContainer, "env" | "envFrom">): boolean {
  return (
    envFrom.some(({ secretRef }) => secretRef?.name) ||
    env.some(({ valueFrom }) => valueFrom?.secretKeyRef?.name)
  );
}

/** Returns true if a volume names a Secret, which each type of volume does in one of three fields. */
function holdsSecret({ name: _name, projected, ...sources }: SentVolume): boolean {
  if ((projected?.sources ?? []).some(({ secret }) => secret?.name)) return true;
  return Object.values(sources).some((source: unknown) => {
    if (!isObject(source)) return false;
    const { secretName, secretRef, nodePublishSecretRef } = source;
    return [secretName, nameOf(secretRef), nameOf(nodePublishSecretRef)].some(Boolean);
  });
}

function nameOf(reference: unknown): unknown {
  return isObject(reference) ? reference["name"] : undefined;
}
