import { invalid } from "@tsbuilder/apimachinery/errors";
import type { TokenRequestSpec } from "@tsbuilder/apimachinery/k8s/authentication/v1";
import type { Pod } from "@tsbuilder/apimachinery/k8s/core/v1";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { badRequest, conflict, invalidObject, notFound } from "../../contract/status-error.ts";
import { findBound, isBindable } from "../../auth/service-account-tokens.ts";
import type { Stored, Sent } from "../../contract/api-object.ts";
import { setNamespace } from "../../registry/create-object.ts";
import { keyOf } from "../../registry/resource.ts";
import { type Reply, type RequestContext, jsonReply } from "../../http/request-context.ts";
import { type Target, writeOf } from "../target.ts";
import { admitBody } from "../../registry/write.ts";
import { readBodyObject } from "../read-object.ts";

const subject = { group: "authentication.k8s.io", plural: "tokenrequests", kind: "TokenRequest" };

/** Issues a token for a service account: `kubectl create token`. */
export async function handleToken(context: RequestContext, target: Target): Promise<Reply> {
  const { resource, namespace, name, core } = target;
  const write = writeOf(context, target, "CreateOptions");
  const sent = await readBodyObject(context, target);
  setNamespace(target, sent);
  if (sent.metadata.name && sent.metadata.name !== name) {
    const problem = "must match the service account name if specified";
    throw invalidObject(subject, name, [invalid("metadata.name", sent.metadata.name, problem)]);
  }
  const account = resource.collection.get(keyOf(resource, namespace, name));
  if (!account) throw notFound(resource, name);
  const request = await admitBody(write, sent);
  const spec = (request["spec"] ?? {}) as Sent<TokenRequestSpec>;
  const expiresIn = spec.expirationSeconds ?? 3600;
  checkExpiration(expiresIn);
  const bound = findBoundObject(target, spec);
  const { token, expires } = core.tokens.issue({
    namespace,
    name,
    uid: account.object.metadata.uid!,
    audiences: spec.audiences ?? [],
    expiresIn,
    ...(bound && { boundTo: bound, node: nodeOfBound(target, bound) }),
  });
  const audiences = spec.audiences?.length ? spec.audiences : [core.tokens.issuer];
  const body = {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { name, namespace, creationTimestamp: formatTime(core.clock.now()) },
    spec: { audiences, expirationSeconds: expiresIn, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: formatTime(expires) },
  };
  return jsonReply(body, 201);
}

/** Finds the node of the pod that a token is bound to, which the token names, too. */
function nodeOfBound(
  { core, namespace }: Target,
  { kind, name }: { readonly kind: string; readonly name: string },
) {
  const pod = findBound(core.store, { kind, namespace, name }).object as Stored<Pod>;
  const nodeName = kind === "Pod" ? pod.spec.nodeName : undefined;
  const node = nodeName && findBound(core.store, { kind: "Node", namespace: "", name: nodeName }).object;
  return node ? { name: nodeName, uid: node.metadata.uid! } : undefined;
}

/** The limits of `expirationSeconds`, as on the real server. */
const shortestExpiration = 600;
const longestExpiration = 2 ** 32;

function checkExpiration(seconds: number): void {
  const refuse = (limit: string): Error => {
    const detail = `may not specify a duration ${limit}`;
    return invalidObject(subject, "", [invalid("spec.expirationSeconds", seconds, detail)]);
  };
  if (seconds < shortestExpiration) throw refuse("less than 10 minutes");
  if (seconds > longestExpiration) throw refuse("larger than 2^32 seconds");
}

/** Finds the object to which a token is bound: the token is valid only while the object exists. */
function findBoundObject({ core, namespace, name }: Target, { boundObjectRef }: Sent<TokenRequestSpec>) {
  if (!boundObjectRef) return undefined;
  const { kind = "", apiVersion = "", name: boundName = "", uid } = boundObjectRef;
  if (apiVersion.includes("/") || !isBindable(kind)) {
    const shown = `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
    throw badRequest(`cannot bind token to object of type ${shown}`);
  }
  if (boundName === "") throw badRequest("Name parameter required.");
  const { plural, object } = findBound(core.store, { kind, namespace, name: boundName });
  if (!object) throw notFound({ group: "", plural, kind }, boundName);
  if (kind === "Pod" && ((object as Stored<Pod>).spec.serviceAccountName ?? "") !== name) {
    const why = "to pod running with different serviceaccount name.";
    throw badRequest(`cannot bind token for serviceaccount ${JSON.stringify(name)} ${why}`);
  }
  if (uid && uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: "", plural: kind, kind }, boundName, why);
  }
  return { kind, name: boundName, uid: object.metadata.uid! };
}
