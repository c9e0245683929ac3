import { isObject } from "@tsbuilder/apimachinery/json";
import type { Status } from "@tsbuilder/apimachinery/meta";
import type { JSONPatchOperation } from "@tsbuilder/apimachinery/patch";
import { HttpError } from "../serve/http-listener.ts";
import type { AdmissionRequest } from "./webhooks.ts";

/** The decision of a handler. */
export interface AdmissionAnswer {
  readonly allowed: boolean;
  readonly status?: Partial<Status> | undefined;
  readonly patch?: readonly JSONPatchOperation[] | undefined;
  readonly warnings?: readonly string[] | undefined;
  readonly auditAnnotations?: { readonly [key: string]: string } | undefined;
}

/** Handles one admission request. */
export type AdmissionHandler = (request: AdmissionRequest, signal: AbortSignal) => Promise<AdmissionAnswer>;

const group = "admission.k8s.io";

/** Extracts the request from an AdmissionReview. The answer has the same API version. */
export function readAdmissionReview(body: unknown): { apiVersion: string; request: AdmissionRequest } {
  const { apiVersion, kind, request } = (body ?? {}) as {
    apiVersion?: string;
    kind?: string;
    request?: AdmissionRequest;
  };
  if (kind !== "AdmissionReview" || (apiVersion !== `${group}/v1` && apiVersion !== `${group}/v1beta1`))
    throw new HttpError(400, `an AdmissionReview of ${group}/v1 is expected, not ${apiVersion} ${kind}`);
  const flaw = flawOf(request);
  if (flaw !== undefined) throw new HttpError(400, `the request of the AdmissionReview ${flaw}`);
  return { apiVersion, request: request! };
}

const operations: readonly unknown[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

/** A request must be understood completely: an invalid one must never be admitted. */
function flawOf(request: Partial<AdmissionRequest> | null | undefined): string | undefined {
  if (!isObject(request)) return "is missing";
  if (typeof request.uid !== "string" || request.uid === "") return "has no uid";
  if (!operations.includes(request.operation)) return `has no operation that is known`;
  if (!isObject(request.kind) || !isObject(request.resource)) return "has no kind or resource";
  for (const field of ["object", "oldObject"] as const) {
    const value = request[field] ?? undefined;
    if (value !== undefined && !isObject(value)) return `has an invalid ${field}`;
  }
  return undefined;
}

/** Wraps the answer in an AdmissionReview. */
export function admissionReview(apiVersion: string, uid: string, answer: AdmissionAnswer): object {
  const { allowed, status, patch = [], warnings = [], auditAnnotations } = answer;
  return {
    apiVersion,
    kind: "AdmissionReview",
    response: {
      uid,
      allowed,
      ...(status && { status }),
      ...(patch.length > 0 && {
        patchType: "JSONPatch",
        patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
      }),
      ...(warnings.length > 0 && { warnings }),
      ...(auditAnnotations && { auditAnnotations }),
    },
  };
}
