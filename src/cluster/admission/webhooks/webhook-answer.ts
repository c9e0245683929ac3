import { type JSONObject, copyJSON, isObject } from "@tsbuilder/apimachinery/json";
import { explainBase64 } from "@tsbuilder/apimachinery/kinds";
import type { Status, StatusDetails } from "@tsbuilder/apimachinery/meta";
import { type JSONPatch, applyJSONPatch } from "@tsbuilder/apimachinery/patch";
import { StatusError, internalError } from "../../contract/status-error.ts";
import { explainJSON, goKind, noTypeMeta } from "../../codec/go-json.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { type Registry, explainType } from "../../registry/registry.ts";
import type { Resource } from "../../registry/resource.ts";

/** A webhook's response. */
export interface WebhookAnswer {
  readonly allowed: boolean;
  readonly patch?: JSONPatch;
  readonly status?: Partial<Pick<Status, "code" | "message" | "reason">> & {
    readonly details?: StatusDetails;
  };
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** An AdmissionReview that breaks the contract of webhooks. */
export class InvalidAnswerError extends Error {
  constructor(message: string, prefix = "received invalid webhook response: ") {
    super(`${prefix}${message}`);
    this.name = "InvalidAnswerError";
  }
}

/** The apiVersions that decode; an absent one is refused later, with another message. */
const decodedVersions = ["", "admission.k8s.io/v1", "admission.k8s.io/v1beta1"];

/** The response in an AdmissionReview. */
interface AdmissionResponse extends Omit<WebhookAnswer, "patch"> {
  readonly uid?: string;
  /** A JSON patch, in base64. */
  readonly patch?: string;
  readonly patchType?: string;
}

/**
 * Reads the response in the AdmissionReview that a webhook returned. Throws an InvalidAnswerError if it breaks the
 * contract, and an Error with the message of Go's decoder if it can't be decoded.
 */
export function readAnswer(
  body: unknown,
  sent: { readonly uid: string; readonly mutating: boolean },
): WebhookAnswer {
  if (body !== null && !isObject(body)) throw new Error(noTypeMeta(body));
  const review = (body ?? {}) as { kind?: string; apiVersion?: string; response?: AdmissionResponse };
  const { kind = "", apiVersion = "", response } = review;
  if (!["", "AdmissionReview"].includes(kind) || !decodedVersions.includes(apiVersion)) {
    const why = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
    throw new Error(`${why} in scheme "pkg/runtime/scheme.go:111"`);
  }
  if (apiVersion === "admission.k8s.io/v1beta1")
    throw new Error(`converting (v1beta1.${kind}) to (v1.${kind}): unknown conversion`);
  if (!response) throw new InvalidAnswerError("webhook response was absent");
  checkTypes(response);
  if (response.uid !== sent.uid) {
    const uid = JSON.stringify(response.uid ?? "");
    throw new InvalidAnswerError(`expected response.uid=${JSON.stringify(sent.uid)}, got ${uid}`);
  }
  if (kind === "" || apiVersion === "") {
    const type = `got ${apiVersion === "" ? "/" : apiVersion}, Kind=${kind}`;
    const wanted = "admission.k8s.io/v1, Kind=AdmissionReview";
    throw new InvalidAnswerError(`expected webhook response of ${wanted}, ${type}`);
  }
  checkPatch(response, sent.mutating);
  const { allowed, status, warnings, auditAnnotations, patch } = response;
  return {
    allowed,
    ...(status && { status }),
    ...(warnings && { warnings }),
    ...(auditAnnotations && { auditAnnotations }),
    ...(patch && { patch: readPatch(patch) }),
  };
}

/** The types of the fields of a response, as Go names them. */
const goTypes = { uid: "types.UID", allowed: "bool", patch: "[]uint8", patchType: "v1.PatchType" };

/** Refuses fields of wrong types and malformed base64, as Go's decoder does for the whole response. */
function checkTypes(response: AdmissionResponse): void {
  for (const [field, type] of Object.entries(goTypes)) {
    const value: unknown = response[field as keyof AdmissionResponse];
    if (value === undefined || value === null || typeof value === (type === "bool" ? "boolean" : "string"))
      continue;
    const name = `AdmissionResponse.response.${field}`;
    throw new Error(`json: cannot unmarshal ${goKind(value)} into Go struct field ${name} of type ${type}`);
  }
  const why = explainBase64(response.patch ?? "");
  if (why !== undefined) throw new Error(why);
}

/** Checks that a mutating webhook sent patch and type together, and a validating webhook neither. */
function checkPatch({ patch, patchType }: AdmissionResponse, mutating: boolean): void {
  const hasType = patchType !== undefined && patchType !== null;
  if (!mutating) {
    if (patch) throw new InvalidAnswerError("validating webhook may not return response.patch");
    if (hasType) throw new InvalidAnswerError("validating webhook may not return response.patchType");
    return;
  }
  if (patch && !hasType)
    throw new InvalidAnswerError("webhook returned response.patch but not response.patchType");
  if (!patch && hasType)
    throw new InvalidAnswerError("webhook returned response.patchType but not response.patch");
  if (patchType === "") throw new InvalidAnswerError('webhook returned invalid response.patchType of ""');
  if (hasType && patchType !== "JSONPatch")
    throw new InvalidAnswerError(`unsupported patch type ${JSON.stringify(patchType)}`, "");
}

/** Decodes the JSON patch of a webhook. As in Go, invalid operations fail later, when the patch is applied. */
function readPatch(base64: string): JSONPatch {
  const operations = parsePatch(Buffer.from(base64, "base64").toString("utf8"));
  if (operations === null) return [];
  if (!Array.isArray(operations)) throw wrongType(operations, "jsonpatch.Patch");
  return operations.map((operation: unknown) => {
    if (operation === null) return { op: "unknown", path: "" };
    if (!isObject(operation)) throw wrongType(operation, "jsonpatch.Operation");
    return typeof operation["op"] === "string" ? operation : { ...operation, op: "unknown" };
  }) as JSONPatch;
}

function parsePatch(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw undecodable(explainJSON(text));
  }
}

function wrongType(value: unknown, type: string): InvalidAnswerError {
  return undecodable(`json: cannot unmarshal ${goKind(value)} into Go value of type ${type}`);
}

function undecodable(why: string): InvalidAnswerError {
  return new InvalidAnswerError(why, "received undecodable patch in webhook response: ");
}

/** Applies the patch of a webhook to a copy. Throws a StatusError if it fails, or if the result is of another kind. */
export function patchObject(
  object: ApiObject,
  patch: JSONPatch,
  resource: Resource,
  registry: Registry,
): ApiObject {
  const patched = applyPatch(object, patch);
  patched.kind ??= object.kind;
  patched.apiVersion ??= object.apiVersion;
  patched.metadata ??= {};
  if (!isObject(patched.metadata)) {
    const field = `Go struct field ${object.kind}.metadata of type v1.ObjectMeta`;
    throw internalError(`json: cannot unmarshal ${goKind(patched.metadata)} into ${field}`);
  }
  if (resource.custom || (patched.kind === object.kind && patched.apiVersion === object.apiVersion))
    return patched;
  const { why, isServed } = explainType(patched, resource, registry);
  throw isServed ? new StatusError(500, undefined, why) : internalError(why);
}

function applyPatch(object: ApiObject, patch: JSONPatch): ApiObject {
  try {
    return copyJSON(applyJSONPatch(object as unknown as JSONObject, patch)) as unknown as ApiObject;
  } catch (error) {
    throw internalError((error as Error).message);
  }
}
