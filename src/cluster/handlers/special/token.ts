import type { TokenRequestSpec } from "@tsbuilder/apimachinery/k8s/authentication/v1";
import { invalid } from "@tsbuilder/apimachinery/errors";
import { notFound, invalidObject } from "../../contract/status-error.ts";
import type { Sent } from "../../contract/sent.ts";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { keyOf } from "../../registry/resource.ts";
import { jsonReply } from "../../http/reply.ts";
import type { Reply, RequestContext } from "../../http/request-context.ts";
import type { Target } from "../target.ts";
import { writeOf } from "../write-options.ts";
import { admitBody } from "./admit-body.ts";
import { readBodyObject } from "./read-body-object.ts";

const shortest = 600;
const longest = 2 ** 32;

/** Issues a token for a service account: `kubectl create token`. */
export async function handleToken(context: RequestContext, target: Target): Promise<Reply> {
  const { resource, namespace, name, core } = target;
  const account = resource.collection.get(keyOf(resource, namespace, name));
  if (!account) throw notFound(resource, name);
  const write = writeOf(context, target, "CreateOptions");
  const request = await admitBody(write, await readBodyObject(context, target));
  const spec = (request["spec"] ?? {}) as Sent<TokenRequestSpec>;
  const expiresIn = spec.expirationSeconds ?? 3600;
  checkExpiration(expiresIn);
  const bound = boundTo(target, spec);
  const { token, expires } = core.tokens.issue({
    namespace,
    name,
    uid: account.object.metadata.uid!,
    audiences: spec.audiences ?? [],
    expiresIn,
    ...(bound && { boundTo: bound }),
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

function checkExpiration(seconds: number): void {
  const subject = { group: "authentication.k8s.io", plural: "tokenrequests", kind: "TokenRequest" };
  const field = "spec.expirationSeconds";
  if (seconds < shortest) {
    throw invalidObject(subject, "", [
      invalid(field, seconds, "may not specify a duration less than 10 minutes"),
    ]);
  }
  if (seconds > longest) {
    throw invalidObject(subject, "", [
      invalid(field, seconds, "may not specify a duration larger than 2^32 seconds"),
    ]);
  }
}

function boundTo({ core, namespace }: Target, { boundObjectRef }: Sent<TokenRequestSpec>) {
  if (boundObjectRef?.kind !== "Pod" || !boundObjectRef.name) return undefined;
  const pod = core.store.collection("pods").get(`${namespace}/${boundObjectRef.name}`);
  if (!pod) throw notFound({ group: "", plural: "pods", kind: "Pod" }, boundObjectRef.name);
  return { kind: "Pod", name: boundObjectRef.name, uid: pod.object.metadata.uid! };
}
