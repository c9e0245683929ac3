import type { PodSpec, ServiceAccount } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Sent } from "../../contract/sent.ts";
import { forbidden, StatusError } from "../../contract/status-error.ts";
import type { AdmissionRequest } from "../../registry/admission-request.ts";
import type { Store } from "../../storage/store.ts";
import { type AdmissionPlugin, isNewPod } from "../admission.ts";
import { refusalSubject } from "../refusal-subject.ts";
import { isMirror, mirrorProblems } from "./mirror-pod.ts";
import { limitsSecrets, refusedEphemeralSecrets, refusedSecrets } from "./mountable-secrets.ts";
import { mountToken } from "./token-volume.ts";

interface AccountContext {
  readonly store: Store;
  /** Creates the ServiceAccount `default` of a namespace, which its controller has not created yet. */
  readonly createDefault: (namespace: string) => Promise<void>;
}

/** The account of a pod that names none. */
const defaultName = "default";

/** Gives each pod its ServiceAccount, with the account's token as a volume and its imagePullSecrets. */
export function podServiceAccount(context: AccountContext): AdmissionPlugin {
  return {
    name: "ServiceAccount",
    async mutate(request) {
      if (!isNewPod(request) || !acceptsPods(context, request)) return undefined;
      const spec = request.object["spec"] as Sent<PodSpec>;
      if (!isMirror(request.object)) {
        spec.serviceAccountName ||= defaultName;
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
      } else if (isDebugging(request)) await checkEphemeral(context, request);
    },
  };
}

/** In any other namespace the plugin NamespaceLifecycle refuses the pod. */
function acceptsPods({ store }: AccountContext, { namespace }: AdmissionRequest): boolean {
  const stored = store.collection("namespaces").get(namespace);
  return stored !== undefined && stored.object.metadata.deletionTimestamp === undefined;
}

function isDebugging({ operation, resource, subresource, object }: AdmissionRequest): boolean {
  const isPod = resource.group === "" && resource.plural === "pods";
  return isPod && operation === "UPDATE" && subresource === "ephemeralcontainers" && object !== undefined;
}

async function checkPod(context: AccountContext, request: AdmissionRequest): Promise<void> {
  const object = request.object!;
  const spec = object["spec"] as PodSpec;
  if (isMirror(object)) {
    for (const problem of mirrorProblems(spec)) throw refusal(request, problem);
    return;
  }
  const account = await accountOf(context, request, spec);
  if (!limitsSecrets(account)) return;
  for (const problem of refusedSecrets(account, spec)) throw refusal(request, problem);
}

/** The real server doesn't wrap this error, so it is answered with 500. */
async function checkEphemeral(context: AccountContext, request: AdmissionRequest): Promise<void> {
  const spec = request.object!["spec"] as PodSpec;
  const account = await accountOf(context, request, spec);
  if (!limitsSecrets(account)) return;
  for (const problem of refusedEphemeralSecrets(account, spec))
    throw new StatusError(500, undefined, problem);
}

function accountOf(
  context: AccountContext,
  request: AdmissionRequest,
  spec: PodSpec,
): Promise<ServiceAccount> {
  if (spec.serviceAccountName) return findAccount(context, request, spec.serviceAccountName);
  const pod = `${request.namespace}/${request.object!.metadata.name ?? ""}`;
  throw refusal(request, `no service account specified for pod ${pod}`);
}

/** The real server waits a moment for the default account of a new namespace; here it is created at once. */
async function findAccount(
  { store, createDefault }: AccountContext,
  request: AdmissionRequest,
  name: string,
): Promise<ServiceAccount> {
  const { namespace } = request;
  const read = () => store.collection("serviceaccounts").get(`${namespace}/${name}`)?.object;
  if (!read() && name === defaultName) await createDefault(namespace);
  const account = read();
  if (account) return account;
  const lookup = `error looking up service account ${namespace}/${name}`;
  throw refusal(request, `${lookup}: serviceaccount ${JSON.stringify(name)} not found`);
}

function refusal(request: AdmissionRequest, why: string): Error {
  return forbidden(request.resource, refusalSubject(request).details.name!, why);
}
