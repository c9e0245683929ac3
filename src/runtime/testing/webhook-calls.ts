import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { AdmissionContext, AdmissionRequest } from "../webhook/webhooks.ts";
import { silentLogger } from "./reconcile-context.ts";

/** A webhook's context in a test, with the warnings that it returned. */
export interface TestAdmissionContext<Body extends object = KubernetesObject> extends AdmissionContext<Body> {
  readonly warnings: readonly string[];
}

/**
 * Creates a context for calling a `Defaulter`, a `Validator` or an `AdmissionWebhook`, as for a user's `kubectl
 * create`. The fields of the request can be set.
 */
export function admissionContext<Body extends object = KubernetesObject>(
  request: Partial<AdmissionRequest<Body>> = {},
): TestAdmissionContext<Body> {
  const warnings: string[] = [];
  return {
    warnings,
    warn: (text) => void warnings.push(text),
    log: silentLogger,
    signal: new AbortController().signal,
    request: {
      uid: "00000000-0000-4000-8000-000000000000",
      operation: "CREATE",
      kind: { group: "example.com", version: "v1", kind: "Example" },
      resource: { group: "example.com", version: "v1", resource: "examples" },
      name: "example",
      namespace: "default",
      userInfo: { username: "test-user", groups: ["system:authenticated"] },
      ...request,
    },
  };
}
